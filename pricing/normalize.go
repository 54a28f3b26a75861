package pricing

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Normalize returns the id of a model in a table. Clouds and gateways write the ids of
// models in several ways:
//
//	us.anthropic.claude-sonnet-4-5-20250929-v1:0   claude-sonnet-4-5
//	anthropic/claude-opus-4.6                      claude-opus-4-6
//	claude-opus-4@20250514                         claude-opus-4
//	claude-opus-4-8[1m]                            claude-opus-4-8
//	anthropic--claude-4.6-opus                     claude-opus-4-6
//	Claude Haiku 4.5                               claude-haiku-4-5
//	gemini-claude-4.6-opus-thinking                gemini-claude-opus-4-6-thinking
//
// The result is the text after the last slash in lower case, with hyphens for blanks
// and dots, without prefixes of providers and suffixes of versions. The version of
// Claude is after the name of the model, up to Claude 3 before it.
func Normalize(model string) string {
	id, _ := normalize(nil, model)
	return string(id)
}

// normalize returns the normalized id, in the buffer if that is large enough. regional
// reports whether the id names an inference profile of a region.
func normalize(id []byte, model string) (normalized []byte, regional bool) {
	model = strings.Trim(model[strings.LastIndexByte(model, '/')+1:], blanks)
	id = append(id[:0], model...)
	for i, c := range id {
		switch {
		case 'A' <= c && c <= 'Z':
			id[i] = c + 'a' - 'A'
		case c == '.' || strings.IndexByte(blanks, c) >= 0:
			id[i] = '-'
		}
	}
	id, regional = trimPrefix(id, model)
	return trimSuffixes(id), regional
}

const blanks = " \t\n\v\f\r"

// trimPrefix removes "anthropic-", also after the prefix of an inference profile of
// Amazon Bedrock: of all regions or of one group of regions. The model is the id as it
// was written: any word that a dot separates from "anthropic" is a region.
func trimPrefix(id []byte, model string) (rest []byte, regional bool) {
	before, after, ok := bytes.Cut(id, []byte("anthropic-"))
	if !ok {
		return id, false
	}
	switch string(before) {
	case "", "global-":
		return bytes.TrimLeft(after, "-"), false
	case "apac-", "au-", "ca-", "eu-", "jp-", "us-", "us-gov-":
		return after, true
	}
	if n := len(before); model[n-1] == '.' {
		word := before[1+strings.LastIndexByte(model[:n-1], '.') : n]
		return after, string(word) != "global-"
	}
	return id, false
}

// trimSuffixes removes "[1m]", "-latest", "-v1:0", "-v1" and dates: -20250929 and
// @20250929. It also orders the remaining id, see orderVersion.
func trimSuffixes(id []byte) []byte {
	for {
		n := len(trimSuffix(id))
		if id = id[:n]; !orderVersion(id) && len(trimSuffix(id)) == n {
			return id
		}
	}
}

func trimSuffix(id []byte) []byte {
	if rest, ok := bytes.CutSuffix(id, []byte("[1m]")); ok {
		id = bytes.TrimSuffix(rest, []byte("-")) // a blank
	}
	id = bytes.TrimSuffix(id, []byte("-latest"))
	if rest := trimDigits(id); len(id)-len(rest) == len("20250929") {
		if n := len(rest) - 1; n >= 0 && (rest[n] == '-' || rest[n] == '@') {
			id = rest[:n]
		}
	}
	version := id
	if minor := trimDigits(id); len(minor) < len(id) && bytes.HasSuffix(minor, []byte(":")) {
		version = minor[:len(minor)-1]
	} else if !bytes.HasPrefix(id, []byte(claude)) { // names of other models contain it: deepseek-v3
		return id
	}
	if major := trimDigits(version); len(major) < len(version) && bytes.HasSuffix(major, []byte("-v")) {
		id = major[:len(major)-len("-v")]
	}
	return id
}

// trimDigits removes the digits at the end.
func trimDigits(id []byte) []byte {
	return bytes.TrimRight(id, digits)
}

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyz"
	claude  = "claude-"
)

// Claude returns the name and the version of the Claude model that an id contains, such
// as opus and 4-6, or ok false if it contains none.
func Claude(model string) (name, version string, ok bool) {
	id, _ := normalize(nil, model)
	m, ok := findClaude(id)
	if m.versionFirst {
		return string(m.second), string(m.first), ok
	}
	return string(m.first), string(m.second), ok
}

// A claudeModel is the part of an id after "claude-": a name and a version with a
// hyphen between them. The version is first, or else second.
type claudeModel struct {
	first, second []byte
	versionFirst  bool
}

// findClaude returns the model after the first "claude-" of a normalized id.
func findClaude(id []byte) (m claudeModel, ok bool) {
	start := bytes.Index(id, []byte(claude))
	if start < 0 || endsInWord(id[:start]) {
		return m, false
	}
	id = id[start+len(claude):]
	first := versionLen(id)
	if m.versionFirst = first > 0; !m.versionFirst {
		first = nameLen(id)
	}
	if first == 0 || first == len(id) || id[first] != '-' {
		return m, false
	}
	m.first, id = id[:first], id[first+1:]
	second := nameLen(id)
	if !m.versionFirst {
		second = versionLen(id)
	}
	m.second = id[:second]
	return m, second > 0 && endsModel(id[second:])
}

// orderVersion moves the version of Claude, in place, to its position in Anthropic's
// ids: after the name of the model, and up to Claude 3 before it, such as in
// claude-3-5-haiku. It reports whether it has moved the version.
func orderVersion(id []byte) bool {
	m, ok := findClaude(id)
	version := m.second
	if m.versionFirst {
		version = m.first
	}
	if !ok || (version[0] <= '3' && numberLen(version) == 1) == m.versionFirst {
		return false
	}
	both := m.first[:len(m.first)+1+len(m.second)]
	slices.Reverse(both)
	slices.Reverse(both[:len(m.second)])
	slices.Reverse(both[len(m.second)+1:])
	return true
}

// versionLen returns the length of the version at the beginning of an id: one or two
// numbers.
func versionLen(id []byte) int {
	n := numberLen(id)
	if rest, ok := bytes.CutPrefix(id[n:], []byte("-")); ok && n > 0 && numberLen(rest) > 0 {
		return n + 1 + numberLen(rest)
	}
	return n
}

// numberLen returns the length of the number at the beginning of an id, 0 if it has
// more than two digits, as dates have.
func numberLen(id []byte) int {
	n := len(id) - len(bytes.TrimLeft(id, digits))
	if n > 2 || startsWithWord(id[n:]) {
		return 0
	}
	return n
}

// nameLen returns the number of letters at the beginning of an id.
func nameLen(id []byte) int { return len(id) - len(bytes.TrimLeft(id, letters)) }

// namesModel reports whether an id contains the name of a model: not as a part of a
// word, nor as the beginning of a longer version, such as claude-opus-4 in
// claude-opus-4-9.
func namesModel(id []byte, model string) bool {
	for start := 0; ; start++ {
		i := bytes.Index(id[start:], []byte(model))
		if i < 0 {
			return false
		}
		start += i
		if !endsInWord(id[:start]) && endsModel(id[start+len(model):]) {
			return true
		}
	}
}

// endsModel reports whether the name of a model ends before the rest of an id.
func endsModel(rest []byte) bool {
	after, ok := bytes.CutPrefix(rest, []byte("-"))
	return !startsWithWord(rest) && (!ok || numberLen(after) == 0)
}

func startsWithWord(s []byte) bool { r, _ := utf8.DecodeRune(s); return isWord(r) }

func endsInWord(s []byte) bool { r, _ := utf8.DecodeLastRune(s); return isWord(r) }

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
