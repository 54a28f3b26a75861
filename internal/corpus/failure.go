package corpus

// A failure is how a tool may fail. Nothing but its text says why.
type failure struct {
	weight int
	class  string
	text   string
	output bool // with the output of a program behind it
}

var failures = []failure{
	{270, "exit_code", "Exit code 1", true},
	{20, "exit_code", "Exit code 127\nbash: line 1: pnpm: command not found", false},
	{73, "sibling_cancelled", "<tool_use_error>Sibling tool call errored</tool_use_error>", false},
	{5, "sibling_cancelled", "Cancelled: parallel tool call Bash(npm test) errored", false},
	{45, "user_rejected", "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).", false},
	{8, "user_rejected", "User rejected tool use", false},
	{3, "user_rejected", "User chose to stay in plan mode and continue planning", false},
	{12, "interrupted", "[Request interrupted by user for tool use]", false},
	{25, "permission", "Claude requested permissions to write to /etc/hosts, but you haven't granted it yet.", false},
	{9, "permission", "Permission to use Bash with command rm -rf build has been denied.", false},
	{4, "permission", "This command requires approval", false},
	{12, "validation", "<tool_use_error>InputValidationError: Read failed due to the following issue:\nThe required parameter `file_path` is missing</tool_use_error>", false},
	{6, "validation", "<tool_use_error>Error: No such tool available: smart_search</tool_use_error>", false},
	{30, "tool_use_error", "<tool_use_error>String to replace not found in file.\nString: const x = \"1\";</tool_use_error>", false},
	{24, "tool_use_error", "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>", false},
	{41, "other", "File does not exist. Current working directory: /home/dev/app", false},
	{15, "other", "MCP error -32603: \"upstream\" closed the connection", false},
}

func weightOfFailure(f *failure) int { return f.weight }

// reason is the class of a failure, if it is one.
func (f *failure) reason() string {
	if f == nil {
		return ""
	}
	return f.class
}

// failed writes the content of a result that is an error.
func (t *thread) failed(f *failure) {
	t.raw(`"`)
	t.b = appendEscaped(t.b, f.text, func() bool { return false })
	if f.output {
		t.raw(`\n`)
		t.b = t.texts.output.appendTo(t.b, t.dice, bashSize.of(t.dice))
	}
	t.raw(`"`)
}
