"""A session of Claude Code in which the user does more than prompt: they answer a question, refuse a file in words, type while the
agent works; and the agent works off a list of tasks.
"""

from model import say, tool

PROMPT = "Store the ferry bookings. Write down the steps first."
QUESTION = "Where are the bookings stored?"
CHOSEN, LEFT = "One SQLite file", "A Postgres server"
REFUSAL = "settings stay in TOML files"
TYPED = "never print a passenger's name in the log"
TASKS = ["Create the booking table", "Write the booking form", "Send the receipt by mail"]


def turns(host):
    """The prompt, and what the model answers: a step done, one begun, one open."""
    options = [{"label": label, "description": label} for label in (CHOSEN, LEFT)]
    question = {"question": QUESTION, "header": "Storage", "multiSelect": False, "options": options}
    settings, table = (str(host.project / name) for name in ("settings.yaml", "bookings.sql"))
    return [(PROMPT, [
        tool("ToolSearch", query="select:TaskCreate,TaskUpdate,AskUserQuestion", max_results=9),
        *(tool("TaskCreate", subject=task, description=task, activeForm=task) for task in TASKS),
        tool("TaskUpdate", taskId="1", status="in_progress"),
        tool("AskUserQuestion", questions=[question]),
        tool("Write", file_path=settings, content="storage: sqlite\n"),
        tool("Write", file_path=table, content="CREATE TABLE booking (id INTEGER PRIMARY KEY, deck TEXT NOT NULL);\n"),
        tool("TaskUpdate", taskId="1", status="completed"),
        tool("TaskUpdate", taskId="2", status="in_progress"),
        say("The booking table is there. The form is begun."),
    ])]


def person(host):
    """The user: takes the first option, refuses the settings, and types while the table is about to be written."""

    def decides(name, tool_input, types):
        if name == "AskUserQuestion":
            return host.allowed(tool_input, answers={QUESTION: CHOSEN})
        if tool_input.get("file_path", "").endswith("settings.yaml"):
            return host.refused(REFUSAL)
        if tool_input.get("file_path", "").endswith("bookings.sql"):
            types(TYPED)
        return host.allowed(tool_input)

    return decides
