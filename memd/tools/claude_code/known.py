"""What the client can write of which there is nothing to record: row types, subtypes of system rows, attachments.

Read in the client itself (2.1.332): its tables of row types, of the rows that its screen knows, of attachments, and the
places where they are made; the rest was seen in recordings from 2.0.76 on. A name that stands neither here nor with a
reader is counted as unknown and shown, so that a new client is noticed.
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROWS = _names("""
    agent-color agent-name agent-setting api-request api-request-blob api-request-resumed api-request-shape
    artifact-autoreact-ledger artifact-comment-monitor atis-latch attribution-snapshot bridge-session
    content-replacement continued-in cost-state data-flow-incomplete data-flow-records derived-from dev-mods
    ended-by-model file-history-delta file-history-snapshot fork-context-ref frame-link history-suppression host-row
    hybrid-organization isolation-latch memory-mode mode observer-ref permission-mode pr-link progress
    repl-mode resume-head-vouch session-owner tag tools-used worktree-state
""")
"""Settings of a session that are said again now and then, and what the client keeps for itself."""

SYSTEM = _names("""
    account_memory_saved agents_killed api_error api_metrics away_summary bridge_status cloud_session_status
    file_snapshot informational memory_saved microcompact_boundary model_consent_fallback model_fallback
    model_refusal_fallback model_refusal_no_fallback permission_retry placed read_divider rewind_stand_in
    scheduled_task_fire stop_hook_summary thinking
""")
"""Lines on the screen that the model does not see, and marks of the client's own."""

ATTACHMENTS = _names("""
    account_memory_recall advisor_stripped advisor_tool agent_ask_notice agent_listing_delta agent_mention
    already_read_file artifact_opening_prefetch async_hook_response at_mention_reference attention_budget auto_mode
    auto_mode_exit bash_output_audience_note batching_reminder batching_reminder_sent budget_usd claude_app_notice
    command_permissions compact_file_reference context_efficiency context_sections coordinator_context
    cowork_memory_context credential_org critical_system_reminder date date_change deferred_tools_delta
    deferred_tools_record diagnostics dir_sync_notice directory dynamic_skill edited_text_file elapsed_time_reminder
    environment file first_week fork_briefing goal_status goals hook_cancelled hook_deferred_tool
    hook_error_during_execution hook_non_blocking_error hook_permission_decision hook_stopped_continuation
    hook_system_message inlined_image_paths instructions invoked_skills language linked_plugin_tools_note
    max_turns_reached mcp_dropped_tools_delta mcp_instructions_delta mcp_resource memory_update message_delta
    message_pdf_reads nested_memory opened_file_in_ide output_limit_note output_style output_style_instructions
    output_token_usage pdf_reference peer_mention plan_file_reference plan_mode plan_mode_exit plan_mode_reentry
    plugin_note poll_events prefix_delta progress_reminder_sent project_doc_reads projects_thread_ask prompt_as_file
    prompt_render_point read_truncation_notice relevant_memories remote_session_change repl_mcp_needs_auth
    repl_mcp_servers sandbox_instructions secondary_reminder secondary_reminder_sent selected_lines_in_diff
    selected_lines_in_ide session_context session_cron_carry silent_turn_reminder skill_listing skill_mention
    structured_output task_reminder task_status team_context teammate_mailbox thinking_drop thinking_stripped
    thread_state todo_reminder token_usage tool_host_result_lines tool_hosts_correction tool_hosts_notice
    tool_offer_record tool_results_cut tool_search_usage_reminder ultra_effort_enter ultra_effort_exit
    ultrathink_effort unknown_command_fallback whole_texts_withdrawn widget_context_hint withheld_memory
    workflow_keyword_request workflow_size_guideline_change
""")
"""What the model is told beside a message: recorded as the client's text where the row shows it, else nothing."""
