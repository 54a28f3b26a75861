package transcript

import "slices"

// A Fact is an event that an entry states and that counts once, by its key, however
// many entries and files state it.
type Fact struct {
	Kind FactKind
	Key  Key    // digests the event; without a key, AssignKeys sets the entry's key
	Name string // kind of event, cleaned; a label of its family unless it is empty
}

// A FactKind is a kind of facts, which has a family of its own.
type FactKind string

// The kinds of facts.
const (
	RetryFact       FactKind = "api_retry"       // by the client; the name is the HTTP status, or the code of the cause, or "unknown"
	CommitFact      FactKind = "commit"          // made with Git, by its hash
	PullRequestFact FactKind = "pull_request"    // that the session is linked to, by its URL
	FileFact        FactKind = "touched_file"    // by session, path and name, which is one of FileOperations
	BackgroundFact  FactKind = "background_task" // by its tool call; the name is one of BackgroundKinds
	CostBasisFact   FactKind = "cost_basis"      // of the costs that Claude Code reports, by session; the name is one of CostBases
)

// FileOperations are the names of files that tools were called with.
var FileOperations = []string{"read", "edited", "written"}

// BackgroundKinds are the names of background work.
var BackgroundKinds = []string{"shell", "agent", "monitor", "teammate", "workflow"}

// CostBases are the known bases of reported costs.
var CostBases = []string{"list", "managed", "unknown", "other"}

// costBasis adds the stated basis of a model's reported cost, if any (Claude Code
// 2.1.330 and later). The entry's facts begin at index facts.
func (p *Parser) costBasis(session string, totals rawValue, facts int, to *Buffer) {
	basis := totals.member("costBasis")
	if !basis.isString() {
		return
	}
	name := basis.str()
	if !slices.Contains(CostBases, name) {
		name = "other"
	}
	if slices.ContainsFunc(to.facts[facts:], func(f Fact) bool { return f.Name == name }) {
		return // a line can repeat it any number of times
	}
	push(&to.facts, Fact{Kind: CostBasisFact, Key: KeyOf("cost basis", session, name), Name: name})
}

// commit adds the commit that the entry's tool result states.
func (p *Parser) commit(to *Buffer) {
	if hash := p.text(p.raw.work.git.member("commit").member("sha")); len(hash) > 0 {
		push(&to.facts, Fact{Kind: CommitFact, Key: keyOfBytes("commit", hash)})
	}
}

// background adds the background work that the entry's first result states as started.
func (p *Parser) background(results []ToolResult, to *Buffer) {
	if kind := p.backgroundKind(); kind != "" && len(results) > 0 {
		push(&to.facts, Fact{Kind: BackgroundFact, Key: results[0].Key, Name: kind})
	}
}

func (p *Parser) backgroundKind() string {
	switch w := &p.raw.work; {
	case w.shell.isString() && len(w.shell) > len(`""`):
		return "shell"
	case w.taskType.isString() && w.workflow.isString():
		return "workflow"
	case w.status.is("async_launched"), w.status.is("remote_launched"):
		return "agent"
	case w.status.is("teammate_spawned"):
		return "teammate"
	case w.task.isString() && w.timeout.isNumber():
		return "monitor"
	}
	return ""
}

// pullRequest adds the pull request that the entry refers to.
func (p *Parser) pullRequest(to *Buffer) {
	if url := p.text(p.member("prUrl")); len(url) > 0 {
		push(&to.facts, Fact{Kind: PullRequestFact, Key: keyOfBytes("pull request", url)})
	}
}

// file adds the file that a call of a tool reads or changes.
func (p *Parser) file(tool string, b *rawBlock, to *Buffer) {
	operation := fileOperation(tool)
	path := b.input.file
	if !path.isString() {
		path = b.input.notebook
	}
	if operation == "" || !path.isString() {
		return
	}
	var room [256]byte
	text := appendPart(room[:0], "file")
	text = appendPart(text, p.text(p.raw.owner()))
	text = appendPart(text, operation)
	key := digest(appendPart(text, p.text(path)))
	push(&to.facts, Fact{Kind: FileFact, Key: key, Name: operation})
}

// owner returns the id of the session that called the tool. A copy in a fork may name
// it.
func (r *rawEntry) owner() rawValue {
	if r.requestSession.str() != "" {
		return r.requestSession
	}
	return r.sessionID
}

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
