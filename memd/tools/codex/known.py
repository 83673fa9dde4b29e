"""What the client can write of which there is nothing to record.

Read in the client itself (0.171.0: its tables of rows, events and items) and seen in transcripts from 2025 on. A name that
stands neither here nor with a reader is counted as unknown and shown, so that a new client is noticed.
"""

from collections.abc import Mapping
from typing import Any

from memd.tools.fields import string, table


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


ROWS = _names("""
    dynamic_tools_updated id_allocation realtime_item security_risk_score token_usage_record world_state
    inter_agent_communication_metadata
""")
"""Rows that the client keeps for itself."""

ITEMS = _names("""
    additional_tools compaction compaction_summary compaction_trigger configuration_update context_compaction ghost_snapshot
    image_generation_call other reasoning tool_search_call tool_search_output web_search_call
""")
"""Response items without a text of their own, or whose text comes with another row."""

COMPLETED = _names("""
    AgentMessage ContextCompaction EnteredReviewMode ExitedReviewMode FunctionCallOutput HookPrompt ImageGeneration
    Reasoning Sleep
""")
"""Completed items that say again what a response item says, or say nothing."""

EVENTS = _names("""
    agent_message agent_message_content_delta agent_message_delta agent_reasoning agent_reasoning_delta
    agent_reasoning_raw_content agent_reasoning_raw_content_delta agent_reasoning_section_break
    apply_patch_approval_request auth_recovery_completed auth_recovery_started background_event
    collab_agent_interaction_begin collab_agent_interaction_end collab_agent_spawn_begin collab_close_begin
    collab_resume_begin collab_resume_end collab_waiting_begin collab_waiting_end context_compacted deprecation_notice
    dynamic_tool_call_request elicitation_abandoned elicitation_request entered_review_mode environment_connected
    environment_disconnected error exec_approval_request exec_command_begin exec_command_output_delta
    exited_review_mode guardian_assessment guardian_warning hook_completed hook_started image_generation_begin
    image_generation_end item_started mcp_startup_complete mcp_startup_update mcp_tool_call_begin model_reroute
    model_verification patch_apply_begin patch_apply_updated plan_delta plan_update raw_response_completed
    raw_response_item realtime_conversation_closed realtime_conversation_realtime realtime_conversation_sdp
    realtime_conversation_started reasoning_content_delta reasoning_raw_content_delta request_permissions
    request_user_input safety_buffering session_configured shutdown_complete stream_error terminal_interaction
    thread_goal_cleared thread_queue_changed thread_settings_applied turn_diff turn_moderation_metadata
    undo_completed undo_started warning web_search_begin
""")
"""Events for the screen, and those that say what an item or another event says better."""

_INNER = {"event_msg": EVENTS, "response_item": ITEMS}


def silent(row: Mapping[str, Any]) -> bool:
    """Whether there is nothing to record of a row, whatever it holds: every third one (measured on recorded sessions)."""
    kind = string(row, "type")
    inner = _INNER.get(kind)
    return kind in ROWS if inner is None else string(table(row, "payload"), "type") in inner
