# Completion of ccwatchd for bash. The program generates the candidates.
_ccwatchd() {
    local next
    next=$("${COMP_WORDS[0]}" --completion-bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$next" -- "${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _ccwatchd ccwatchd
