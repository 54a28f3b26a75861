package transcript

import (
	"path"
	"path/filepath"
	"strings"
)

const (
	transcriptSuffix = ".jsonl"
	gzipSuffix       = ".gz"
	zstdSuffix       = ".zst"
)

// IsTranscript reports whether a base name is a session file's: every *.jsonl except
// the journal of a workflow run, the prompt history, Cowork's copy of Claude Code's
// output, and the AppleDouble files that macOS writes beside files on other file
// systems.
func IsTranscript(base string) bool {
	switch base {
	case "journal.jsonl", "history.jsonl", "audit.jsonl":
		return false
	}
	return strings.HasSuffix(base, transcriptSuffix) && !strings.HasPrefix(base, "._")
}

// IsArchive reports whether a base name is a compressed session file's.
func IsArchive(base string) bool { return PlainName(base) != base && IsTranscript(PlainName(base)) }

// PlainName returns the name of a session file without the suffix of its compression.
func PlainName(name string) string {
	if plain, ok := strings.CutSuffix(name, gzipSuffix); ok {
		return plain
	}
	return strings.TrimSuffix(name, zstdSuffix)
}

// ArchivesOf returns the names that a session file may have after it was compressed.
func ArchivesOf(name string) []string { return []string{name + gzipSuffix, name + zstdSuffix} }

// IsZstd reports whether the name of an archive states zstd, and not gzip.
func IsZstd(name string) bool { return strings.HasSuffix(name, zstdSuffix) }

// FileName returns the base name of the main transcript of a session.
func FileName(sessionID string) string { return sessionID + transcriptSuffix }

// SkipDir reports whether a directory never contains session files, regardless of the
// names in it: tool output, user notes, and the AppleDouble files and attributes that
// file servers keep under the names of the files. Rel is its path below a source, with
// slashes or the separators of this system. A directory directly below the source, or
// below one named projects, is a project, unless it belongs to a file server.
func SkipDir(rel string) bool {
	parent, base := path.Split(filepath.ToSlash(rel))
	return base == ".AppleDouble" || base == "@eaDir" || (base == "tool-results" || base == "memory") && parent != "" && path.Base(parent) != "projects"
}

// A FileKind is the kind of session or sub-agent that a file is the transcript of, as
// far as its name shows.
type FileKind string

// The kinds of files. Compact, PromptSuggestion and SideQuestion are background jobs of
// Claude Code itself that begin with a copy of their session.
const (
	Main             FileKind = "main"
	Task             FileKind = "task"
	Workflow         FileKind = "workflow"
	Compact          FileKind = "compact"
	PromptSuggestion FileKind = "prompt_suggestion"
	SideQuestion     FileKind = "side_question"
)

// Warmup is the kind of a sub-agent that only fills the prompt cache. Its file name
// does not show it: it is a sub-agent whose first "user" entry has Entry.Warmup.
const Warmup FileKind = "warmup"

// AgentKinds are the kinds of sub-agents.
var AgentKinds = []FileKind{Task, Workflow, Warmup, Compact, PromptSuggestion, SideQuestion}

// KindOf derives the kind of a file from its path relative to the projects directory,
// with slashes or the separators of this system.
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

// IsAgent reports whether the file is a sub-agent's. Its entries have the id of the
// session that started it.
func (k FileKind) IsAgent() bool { return k != Main }

// Replays reports whether the file begins with a copy of another file.
func (k FileKind) Replays() bool {
	return k == Compact || k == PromptSuggestion || k == SideQuestion
}

// NameKey digests the base name of a file. A temporary name such as
// agent-x.jsonl.new.jsonl has the key of the file that it will replace, agent-x.jsonl.
func NameKey(rel string) Key {
	base := path.Base(filepath.ToSlash(rel))
	name, _, _ := strings.Cut(base, transcriptSuffix)
	return KeyOf("name", name)
}
