# Completion of ccwatchd for fish. The program generates the candidates.
function __ccwatchd_next
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    set --local word (commandline --current-token --cut-at-cursor)
    set --local next ($words[1] --completion-bash $words[2..-1] "$word" 2>/dev/null)
    if set --query next[1]
        printf '%s\n' $next
    else
        __fish_complete_path "$word"
    end
end
complete --command ccwatchd --no-files --arguments '(__ccwatchd_next)'
