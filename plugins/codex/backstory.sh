#!/bin/sh
# Runs the program `backstory`, which a plugin does not bring along. A host that was started from a desktop may not have the
# search path of a shell, so the places are looked at where `backstory setup` and `cargo install` put it.

for program in backstory "$HOME/.local/bin/backstory" "$HOME/.cargo/bin/backstory"; do
    command -v "$program" >/dev/null 2>&1 && exec "$program" "$@"
done

advice="Backstory remembers nothing yet: the program \`backstory\` is not on the search path. Install it, or put a link to it into ~/.local/bin, and begin a new session."
if [ "$1" != hook ]; then
    echo "$advice" >&2
    exit 1
fi

# A hook is silent (and must read its payload: whoever writes it is hurt by a closed pipe). The user is told once.
payload=$(cat)
told="${CLAUDE_PLUGIN_DATA:-${PLUGIN_DATA:-}}"
case $payload in *'"SessionStart"'*) ;; *) exit 0 ;; esac
[ -z "$told" ] || { [ ! -e "$told/told" ] && mkdir -p "$told" && : >"$told/told"; } 2>/dev/null || exit 0
printf '{"systemMessage":"%s"}\n' "$advice"
