package transcript

import (
	"path"
	"path/filepath"
	"strings"
)

const transcriptSuffix = ".jsonl"

// IsTranscript reports whether a file of this base name is a session file:
// every *.jsonl but the journal of a workflow run and the history of prompts.
func IsTranscript(base string) bool {
	return strings.HasSuffix(base, transcriptSuffix) && base != "journal.jsonl" && base != "history.jsonl"
}

// SkipDir reports whether a directory of this base name holds no session
// files, whatever the names in it: output of tools and notes of the user.
func SkipDir(base string) bool { return base == "tool-results" || base == "memory" }

// A FileKind says whose transcript a file is, as far as its name tells.
type FileKind string

// The kinds of files. Compact, PromptSuggestion and SideQuestion are side jobs
// of Claude Code itself that begin with a copy of the session they belong to.
const (
	Main             FileKind = "main"
	Task             FileKind = "task"
	Workflow         FileKind = "workflow"
	Compact          FileKind = "compact"
	PromptSuggestion FileKind = "prompt_suggestion"
	SideQuestion     FileKind = "side_question"
)

// Warmup is the kind of a sub-agent that did nothing but fill the cache. No
// name tells it: it is a sub-agent whose first "user" entry has Entry.Warmup.
const Warmup FileKind = "warmup"

// AgentKinds are the kinds of sub-agents.
var AgentKinds = []FileKind{Task, Workflow, Warmup, Compact, PromptSuggestion, SideQuestion}

// KindOf derives the kind of a file from its path below the root of its
// source, with slashes or with the separators of this system.
func KindOf(rel string) FileKind {
	rel = "/" + filepath.ToSlash(rel)
	base := path.Base(rel)
	switch {
	case !strings.HasPrefix(base, "agent-"):
		return Main
	case strings.HasPrefix(base, "agent-acompact-"):
		return Compact
	case strings.HasPrefix(base, "agent-aprompt_suggestion-"):
		return PromptSuggestion
	case strings.HasPrefix(base, "agent-aside_question-"):
		return SideQuestion
	case strings.Contains(rel, "/workflows/"):
		return Workflow
	}
	return Task
}

// Agent reports whether the file is a sub-agent's. Its entries name the
// session that started it.
func (k FileKind) IsAgent() bool { return k != Main }

// Replays reports whether the file begins with a copy of another one.
func (k FileKind) Replays() bool {
	return k == Compact || k == PromptSuggestion || k == SideQuestion
}

// NameKey digests the name of a file without its directory. What is written under a
// temporary name such as agent-x.jsonl.new.jsonl has the name of the file that it
// will replace, agent-x.jsonl.
func NameKey(rel string) Key {
	base := path.Base(filepath.ToSlash(rel))
	name, _, _ := strings.Cut(base, transcriptSuffix)
	return KeyOf("name", name)
}
