package transcript

// FileOperations are the values of ToolUse.FileOperation.
var FileOperations = []string{"read", "edited", "written"}

// BackgroundKinds are the values of ToolResult.Background.
var BackgroundKinds = []string{"shell", "agent", "monitor"}

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
	path := b.input.file
	if !path.isString() {
		path = b.input.notebook
	}
	if operation == "" || !path.isString() {
		return Key{}, ""
	}
	var room [256]byte
	text := appendPart(room[:0], "file")
	text = appendPart(text, p.text(p.raw.sessionID))
	text = appendPart(text, operation)
	return digest(appendPart(text, p.text(path))), operation
}

// background returns the kind of background work that the entry's tool result states
// as started, "" if it states none.
func (p *Parser) background() string {
	switch w := &p.raw.work; {
	case w.shell.isString() && len(w.shell) > len(`""`):
		return "shell"
	case w.status.is("async_launched"), w.status.is("remote_launched"):
		return "agent"
	case w.task.isString() && w.timeout.isNumber():
		return "monitor"
	}
	return ""
}

// commit returns the key of the commit that the entry's tool result states.
func (p *Parser) commit() Key {
	hash := p.raw.work.git.member("commit").member("sha")
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
