"""What the program does not let a model do: one fault for each way to go wrong, and none for good work."""

import pytest
from factories import record
from judged import MIND, SAID, SCENE, TEXTS, answer, edited, faults, given

from memd.checkpoint import boxes, memo, scene
from memd.checkpoint.evidence import Evidence
from memd.model import Channel, Grade

GOOD = {
    "nothing changed": MIND,
    "a mission done with a tool's result": edited(
        "[active] Make the gateway survive a slow upstream (#1)",
        "[done] Make the gateway survive a slow upstream (#1; shown by #8)",
    ),
    "a mission replaced on the person's word": edited(
        "- M1 [active] Make the gateway survive a slow upstream (#1)",
        "- M1 [replaced by M2] Make the gateway survive a slow upstream (#1; #9)\n- M2 [active] Retries (#9)",
    ),
    "a decision folded into the one that replaced it": edited(
        "- The timeout is raised",
        "- The name stays, though I wanted another. (#9 replaces #2)\n- The timeout is raised",
    ),
    "a lesson confirmed": edited("[hypothesis] The upstream", "[confirmed] The upstream"),
    "a statement of several lines": edited("alone. (#3)", "alone,\n  but only before noon. (#3)"),
}
BAD = {
    "a mission dropped": (edited("- M1 [active] Make the gateway survive a slow upstream (#1)\n", ""), "M1 is missing"),
    "a mission closed without a message": (
        edited("M1 [active]", "M1 [withdrawn]"),
        "cites no later message of the person's",
    ),
    "a mission done without evidence": (edited("M1 [active]", "M1 [done]"), "without evidence"),
    "a mission reworded": (edited("survive a slow upstream (#1)", "survive (#1)"), "words of the mission M1"),
    "a mission done by the agent's own word": (
        edited(
            "[active] Make the gateway survive a slow upstream (#1)",
            "[done] Make the gateway survive a slow upstream (#1, #5)",
        ),
        "without evidence",
    ),
    "a mission withdrawn by a machine": (
        edited(
            "[active] Make the gateway survive a slow upstream (#1)",
            "[withdrawn] Make the gateway survive a slow upstream (#1, #6)",
        ),
        "cites no later message of the person's",
    ),
    "a mission's citation gone": (edited("slow upstream (#1)", "slow upstream (#9)"), "no longer cites #1"),
    "a mission replaced by none": (
        edited(
            "[active] Make the gateway survive a slow upstream (#1)",
            "[replaced by M2] Make the gateway survive a slow upstream (#1, #9)",
        ),
        "no other mission M2",
    ),
    "a mission twice": (
        edited("(#1)\n\n## W", "(#1)\n- M1 [active] Make the gateway survive a slow upstream (#1)\n\n## W"),
        "there twice",
    ),
    "a mission invented": (
        edited("(#1)\n\n## W", "(#1)\n- M2 [active] Rewrite it in Rust (#6)\n\n## W"),
        "new mission M2 cites no",
    ),
    "a heading renamed": (edited("# Lessons", "# Learned"), "they stay"),
    "a heading taken out": (edited("## Workstreams\n", ""), "they stay"),
    "a heading added": (MIND + "\n# Thoughts\n", "they stay"),
    "the order changed": (
        edited("## Mission", "## Workstreams ").replace("## Workstreams\n", "## Mission\n"),
        "they stay",
    ),
    "a cap broken": (
        edited("- [hypothesis]", "- [confirmed] " + "very long " * 700 + "\n- [hypothesis]"),
        "Lessons has",
    ),
    "prose between the bullets": (
        edited("- I may deploy", "The person trusts me.\n- I may deploy"),
        "neither a heading nor",
    ),
    "no citation": (edited("alone. (#3)", "and to production alone."), "ends neither in (#n)"),
    "an approval without a citation": (
        edited("alone. (#3)", "alone.\n- Production deploys are approved. (own judgement)"),
        "cites no message",
    ),
    "an approval in Chinese without a citation": (
        edited("alone. (#3)", "alone.\n- 生产部署已批准。(own judgement)"),
        "cites no message",
    ),
    "a citation of a machine": (
        edited("alone. (#3)", "alone.\n- I push to main. (#6)"),
        "#6 is not the person's (background.notification)",
    ),
    "a citation of the agent": (
        edited("alone. (#3)", "alone.\n- I push to main. (#5)"),
        "#5 is not the person's (agent.text)",
    ),
    "a citation of a withdrawn message": (
        edited("alone. (#3)", "alone.\n- It is named timeout. (#7)"),
        "#7 was withdrawn",
    ),
    "a citation of nothing": (edited("alone. (#3)", "alone.\n- It is named timeout. (#77)"), "no message #77"),
    "a citation of another session": (
        edited("alone. (#3)", "alone.\n- I push. (#4 of claude-code:x)"),
        "not known here",
    ),
    "an earlier message that replaces a later one": (
        edited("(own judgement)\n\n# L", "(#2 replaces #9)\n\n# L"),
        "it came before it, or says nothing of its own",
    ),
    "a lesson without its grade": (edited("[hypothesis] The", "The"), "neither [confirmed] nor"),
    "a workstream of no mission": (edited("W1 (M1)", "W1 (M3)"), "M3, which is no mission"),
    "a finished workstream of two lines": (
        edited("[active] the timeout: 2/3 done, next:", "[done] the timeout,\n "),
        "shrinks to one",
    ),
}


@pytest.mark.parametrize("what", GOOD)
def test_good_work_has_no_fault(what):
    """What a careful colleague would write passes."""
    assert faults(GOOD[what]) == []


@pytest.mark.parametrize("what", BAD)
def test_each_way_to_spoil_the_mind_is_a_fault(what):
    """The fault says in words what is wrong, so that the writer can mend it."""
    mind, told = BAD[what]
    assert [text for text in faults(mind) if told in text] != []


def test_two_sections_rewritten_are_a_fault_and_one_is_not():
    """The file is edited and not replaced: understanding changes in one place at a time."""
    long = edited("- [hypothesis]", "- [confirmed] a\n- [confirmed] b\n- [confirmed] c\n- [hypothesis]")
    long = edited(
        "- The timeout is", "- a (own judgement)\n- b (own judgement)\n- c (own judgement)\n- The timeout is", long
    )
    lessons = long.replace("[confirmed] ", "[confirmed] not ")
    both = lessons.replace("a (own", "no a (own").replace("b (own", "no b (own").replace("c (own", "no c (own")
    assert faults(lessons, of=given(long)) == []
    assert faults(both, of=given(long)) == [
        "mind: Key decisions and Lessons are rewritten; one section at most may be, the others are edited"
    ]
    assert faults(both, of=given(long, judged=False)) == []


def test_what_rests_on_a_message_withdrawn_since_is_to_be_changed():
    """The statement was right when it was written."""
    said = tuple(record(3, "Yes, you may deploy", withdrawn=True) if r.number == 3 else r for r in SAID)
    assert [text for text in faults(of=given(said=said)) if "withdrawn" in text] == [
        "mind: '- I may deploy to staging alone. (#3)' rests on #3, which was withdrawn: change it or take it out"
    ]


def test_the_operator_is_cited_only_where_no_person_is_known_and_named_so():
    """A headless session's agreements rest on the operator's prompt and say so."""
    said = (
        record(1, "Do it", Channel.OPERATOR_HEADLESS),
        record(9, "Now take the retries next", Channel.OPERATOR_HEADLESS),
    )
    new = edited("alone. (#3)", "alone.\n- The {} wants no pushes. (#9)").replace("(#1, #2)", "(own judgement)")
    of = given(new, said=said, evidence=Evidence({r.number: r for r in said}, {8: Channel.TOOL_RESULT}))
    named, unnamed = new.format("operator"), new.format("boss")
    assert faults(named, of=of) == []
    assert [text for text in faults(unnamed, of=of) if "does not name the operator" in text] != []
    with_person = (*SAID, record(10, "Do it", Channel.OPERATOR_HEADLESS))
    told = faults(edited("(#3)", "(#3)\n- The operator wants no pushes. (#10)"), of=given(said=with_person))
    assert told == ["mind: '- The operator wants no pushes. (#10)': #10 is not the person's (operator.headless)"]


def test_words_of_unknown_grade_bind_nobody():
    """Nothing tells that a person wrote them."""
    evidence = Evidence({1: record(1, "Do it", grade=Grade.UNKNOWN), 2: record(2, "No")})
    assert (evidence.binds(1), evidence.binds(2)) == (False, True)


LINE = "#9 2026-11-29 23:27Z human.typed | The gateway is fine now; take the retries next"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace("take the retries", "drop the retries"), "a line was changed"),
        (lambda text: text + "- [x] #6 2026-11-29 23:24Z human.typed | push to main now\n", "a line was added"),
        (lambda text: text.replace(f"- [ ] {LINE}\n", ""), "a line was taken out"),
        (lambda text: text + f"- [x] {LINE}\n", "a line was there twice"),
        (lambda text: "# Memo\n\n" + "\n".join(reversed(text.splitlines()[2:])) + "\n", "not in the order"),
        (lambda text: "garbage", "a line was taken out"),
        (lambda text: "", "a line was taken out"),
        (lambda text: text.replace("human.typed | The gateway", "human.answer | The gateway"), "a line was changed"),
    ],
)
def test_only_boxes_of_the_memo_may_change(change, told):
    """The words and who said them are the record's."""
    assert [text for text in faults(memo=change(given().listed)) if told in text and text.startswith("memo: ")] != []


def test_boxes_are_ticked_and_released():
    """Every box may be what the writer thinks right, in either case of the letter."""
    listed = given().listed
    assert f"- [ ] {LINE}" in listed
    assert faults(memo=listed.replace(f"- [ ] {LINE}", f"- [X] {LINE}").replace("- [x] #2 ", "- [ ] #2 ")) == []


def test_more_than_the_memos_room_is_a_fault():
    """Twelve long messages count 300 tokens each, and ten of them fit."""
    decided = memo.Decided({}, {})
    entries = boxes.offered(memo.entries([record(n, "word " * 300) for n in range(1, 13)], 1, decided=decided), decided)
    of = given(memo=entries, listed=memo.document(entries).decode())
    ten, all_ticked = of.listed.replace("[ ]", "[x]", 10), of.listed.replace("[ ]", "[x]")
    assert faults(memo=ten, of=of) == []
    assert faults(memo=all_ticked, of=of) == [
        "memo: 12 ticked messages have 3,600 tokens together, 3,000 are allowed: release the least"
    ]


@pytest.mark.parametrize(
    ("answered", "told"),
    [
        ("", "no <scene> block"),
        ("I have done it.", "no <scene> block"),
        (answer() + answer(), "2 <scene> blocks"),
        ("<scene>" + SCENE, "not closed"),
        ("<scene><scene>" + SCENE + "</scene>", "not closed"),
        (answer("## Current step\n"), "at least 200"),
        (answer(SCENE.replace("## Pitfalls", "## Traps")), "headings are"),
        (answer(SCENE.replace("## Pitfalls", "# Pitfalls")), "headings are"),
        (answer(SCENE + "\n## More\n\nx\n"), "headings are"),
        (answer(scene.document(TEXTS | {"Pitfalls": "- much " * 4_000})), "about 3,000 are right"),
        (answer(scene.document(TEXTS | {"Next step": "(none)"})), "leads nowhere while M1 is active"),
        (answer(scene.document(TEXTS | {"Next step": "- All done (#9)."})), "leads nowhere while M1 is active"),
        (answer(scene.document(TEXTS | {"Next step": "- Read retry.py."})), "does not name the latest request (#9)"),
    ],
)
def test_each_way_to_spoil_the_scene_is_a_fault(answered, told):
    """One block, whole, and tied to what the person asked for last."""
    assert [text for text in faults(answered=answered) if told in text and text.startswith("scene: ")] != []


def test_all_may_be_done_when_no_mission_is_active():
    """A closed mission needs no next step."""
    done = edited(
        "[active] Make the gateway survive a slow upstream (#1)",
        "[done] Make the gateway survive a slow upstream (#1; #8)",
    )
    assert faults(done, answered=answer(scene.document(TEXTS | {"Next step": "- All done (#9)."}))) == []


def test_every_fault_is_named_at_once():
    """One repair request is all there is: it has to list everything."""
    mind = edited("# Lessons", "# Learned").replace("M1 [active]", "M1 [done]")
    told = faults(mind, given().listed + "x\n", "no scene")
    assert [text.partition(":")[0] for text in told] == ["mind", "mind", "memo", "scene"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("- The user approved the deploy to production.", "cites none"),
        ("- Production: allowed by the person (#5).", "cites #5, none of which is theirs"),
        ("- The person wants the push (#6, #7).", "cites #6, #7, none of which is theirs"),
        ("- 用户同意上线", "cites none"),
        ("- 他要求上线", "cites none"),
        ("- A push need not be approved by the user.", "cites none"),
        (
            "- A push no longer has to be approved by the person; it doesn't need to be requested by the user.",
            "cites none",
        ),
        ("- 推送无需用户同意", "cites none"),
        ("- 推送不需要用户批准", "cites none"),
        ("- If the user wants it: once the user approved it, it was pushed.", "cites none"),
        ("- Not pushed before; the release was approved by the user.", "cites none"),
    ],
)
def test_what_a_scene_says_of_the_person_needs_their_message(line, told):
    """A machine's word, the agent's own or a withdrawn message is none; in a scene as in the mind."""
    (fault,) = faults(answered=answer(scene.document(TEXTS | {"Progress": line})))
    assert fault.startswith("scene: ")
    assert told in fault


@pytest.mark.parametrize(
    "line",
    [
        "- The person allowed it for staging (#3).",
        "- Staging, alone:\n  allowed by the person, see #3.",
        "- `permission denied` on /srv/w; 0 is not allowed.",
        "- The approval test fails: user approvals are not stored.",
        "- To be asked: whether the user wants tests. If the user decided against them, they go.",
        "- The push is not yet approved by the user; it has to be approved by the person, or once requested by the user.",
        "- Nothing goes out until the user has approved it.",
        "- 等待用户确认部署；未经用户同意不得推送；需要用户决定命名。",
        "- 其他要求：保持接口不变",
    ],
)
def test_a_scene_that_cites_or_speaks_of_other_things_is_good(line):
    """Words like those in the work itself claim nothing."""
    assert faults(answered=answer(scene.document(TEXTS | {"Progress": line}))) == []
