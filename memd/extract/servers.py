"""Tools of connected servers (MCP) and plugins: which of them change something, told by the verbs in their names. Pure.

A transcript does not say whether such a tool only looks. Its name nearly always does: `slack_send_message`, `createIssue`.
"""

import re

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOOKS = frozenset(
    "get,list,search,read,find,fetch,query,describe,show,view,count,lookup,check,browse,explain,preview,inspect,status,resolve"  # noqa: SIM905 - a list of words
    ",validate,diff,export,download,screenshot,snapshot,wait".split(",")
)
_CHANGES = frozenset(
    "create,update,delete,remove,add,set,send,post,put,patch,write,edit,insert,upsert,upload,publish,deploy,merge,close,reopen"  # noqa: SIM905 - a list of words
    ",comment,reply,assign,move,rename,copy,execute,exec,run,trigger,cancel,approve,reject,submit,push,apply,install,uninstall"
    ",start,stop,restart,enable,disable,archive,invite,transfer,pay,refund,schedule,order,book,import,register,revoke,grant,save"
    ",commit,fork,lock,unlock,drop,truncate,migrate,rollback,notify,email,dispatch,replace,append,kill,terminate,scale,sync".split(
        ","
    )
)


def changes(name: str) -> bool:
    """Whether a tool of this name changes something: a verb of change stands in it, and none that looks before that.

    >>> changes("mcp__slack__send_message"), changes("github.createIssue"), changes("linear_create_comment")
    (True, True, True)
    >>> changes("mcp__github__list_posts"), changes("docs_search"), changes("get_schedule")
    (False, False, False)
    """
    words = (word.lower() for word in _WORD.findall(re.split(r"__|\.", name)[-1]))
    return next((word in _CHANGES for word in words if word in _LOOKS | _CHANGES), False)
