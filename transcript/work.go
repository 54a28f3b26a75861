package transcript

// workCount is the number of members of "toolUseResult" that describe work other than
// an edit: a git operation, and four that background work has.
const workCount = 5

// FileOperations are the values of ToolUse.FileOperation.
var FileOperations = []string{"read", "edited", "written"}

// BackgroundKinds are the values of ToolResult.Background.
var BackgroundKinds = []string{"shell", "agent", "monitor"}

// inputKeys are the members of a tool's input that name its file, or the skill that it
// starts: first that of the newer version.
var inputKeys = []string{"file_path", "notebook_path", "skill", "command"}

// fileOperation returns what a built-in tool does with its file, "" for other tools.
func fileOperation(tool string) string {
	switch tool {
	case "Read":
		return "read"
	case "Edit", "MultiEdit", "NotebookEdit":
		return "edited"
	case "Write":
		return "written"
	}
	return ""
}

// file returns the key of the file that a call of a tool reads or changes.
func (p *Parser) file(tool string, b *rawBlock) (key Key, operation string) {
	operation = fileOperation(tool)
	path := b.input[0]
	if !path.isString() {
		path = b.input[1]
	}
	if operation == "" || !path.isString() {
		return Key{}, ""
	}
	p.digest.begin("file")
	p.digest.add(p.text(p.raw.sessionID))
	p.digest.add([]byte(operation))
	p.digest.add(p.text(path))
	return p.digest.key(), operation
}

// background returns the kind of background work that the entry's tool result states
// as started, "" if it states none.
func (p *Parser) background() string {
	shell, status, task, timeout := p.raw.edit[4], p.raw.edit[5], p.raw.edit[6], p.raw.edit[7]
	switch {
	case shell.isString() && len(shell) > len(`""`):
		return "shell"
	case status.is("async_launched"), status.is("remote_launched"):
		return "agent"
	case task.isString() && timeout.isNumber():
		return "monitor"
	}
	return ""
}

// commit returns the key of the commit that the entry's tool result states.
func (p *Parser) commit() Key {
	hash := p.raw.edit[3].member("commit").member("sha")
	if text := p.text(hash); len(text) > 0 {
		return keyOfBytes("commit", text)
	}
	return Key{}
}

// pullRequest returns the key of the pull request that the entry refers to.
func (p *Parser) pullRequest() Key {
	if url := p.text(p.member("prUrl")); len(url) > 0 {
		return keyOfBytes("pull request", url)
	}
	return Key{}
}
