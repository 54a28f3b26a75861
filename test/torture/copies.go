package torture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/ccwatchd/ccwatchd/transcript"
)

// copy copies a file unchanged into another project or to another name. The copy does
// not grow.
func (t *tree) copy() (bool, error) {
	f, other := t.pickUsable(anyFile), t.pickUsable(anyFile)
	if f == nil || other == nil {
		return false, nil
	}
	b, err := f.current()
	if err != nil {
		return false, err
	}
	if f.agent {
		return t.copyAgent(f, project(other), b[:bytes.LastIndexByte(b, '\n')+1])
	}
	t.names++
	return true, appendTo(t.abs(fmt.Sprintf("%s/copy-%d.jsonl", project(other), t.names)), b)
}

// copyAgent copies a sub-agent's file into another project under the same name, or else
// to another name. While both exist, each counts as a sub-agent.
func (t *tree) copyAgent(f *file, to string, b []byte) (bool, error) {
	if _, hasDialogue := subagentKind(f.name, b); !hasDialogue {
		return false, nil
	}
	t.names++
	name := to + strings.TrimPrefix(f.name, project(f))
	if t.taken(name) {
		name = strings.TrimSuffix(f.name, ".jsonl") + fmt.Sprintf("-copy-%d.jsonl", t.names)
	}
	// The store must have it too, since it counts.
	source := filepath.Join(t.store, fmt.Sprintf("copy-%d", t.names), filepath.FromSlash(name))
	if err := appendTo(source, b); err != nil {
		return false, err
	}
	f.copied = true
	t.files = append(t.files, &file{name: name, source: source, agent: true, written: len(b), terminated: true, copied: true})
	return true, appendTo(t.abs(name), b)
}

// subagentKind returns the kind of a sub-agent's file, and whether it counts as a
// sub-agent: it must have a line of dialogue.
func subagentKind(name string, content []byte) (kind string, hasDialogue bool) {
	kind = string(transcript.KindOf(name))
	for line := range bytes.Lines(content) {
		var entry struct {
			Type    string
			Message struct{ Content any }
		}
		if json.Unmarshal(bytes.Trim(line, "\x00\r\n \t\ufeff"), &entry) != nil {
			continue
		}
		switch entry.Type {
		case "assistant":
			hasDialogue = true
		case "user":
			if entry.Message.Content == "Warmup" {
				kind = "warmup"
			}
			return kind, true
		}
	}
	return kind, hasDialogue
}

var (
	uuidFields = regexp.MustCompile(`"(?:uuid|parentUuid|logicalParentUuid)":"[0-9a-f-]{36}"`)
	// byUUID matches lines that are counted by their uuid alone (see
	// docs/design/counting.md), so that a clone with another uuid counts again.
	byUUID = regexp.MustCompile(`"isApiErrorMessage":true|"subtype":"api_error"`)
)

// clone writes a clone of a session's file beside it, as tools do that migrate or merge
// sessions: every entry has another uuid, and the same time, text and ids. It omits API
// errors and retries, which would count again.
func (t *tree) clone() (bool, error) {
	f := t.pickUsable(func(f *file) bool { return !f.agent })
	if f == nil {
		return false, nil
	}
	b, err := f.current()
	if err != nil || bytes.Contains(b, constantID) {
		return false, err
	}
	t.names++
	return true, appendTo(t.abs(path.Join(project(f), fmt.Sprintf("clone-%d.jsonl", t.names))), t.withNewUUIDs(b))
}

// withNewUUIDs returns the complete lines of a transcript with other uuids.
func (t *tree) withNewUUIDs(content []byte) []byte {
	uuids := make(map[string]string)
	var all []byte
	for line := range bytes.Lines(content[:bytes.LastIndexByte(content, '\n')+1]) {
		if byUUID.Match(line) {
			continue
		}
		all = append(all, uuidFields.ReplaceAllFunc(line, func(field []byte) []byte {
			at := len(field) - 37
			old := string(field[at : at+36])
			if uuids[old] == "" {
				uuids[old] = fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
					t.rng.Uint32(), t.rng.IntN(1<<16), t.rng.IntN(1<<12), t.rng.IntN(1<<12), t.rng.Uint64()>>16)
			}
			return append(append(append([]byte(nil), field[:at]...), uuids[old]...), '"')
		})...)
	}
	return all
}
