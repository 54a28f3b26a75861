package pricing

import (
	"bytes"
	"slices"
	"strings"
)

// Normalize returns the id by which a table knows a model. Clouds and gateways write
// the ids of models in several ways:
//
//	us.anthropic.claude-sonnet-4-5-20250929-v1:0   claude-sonnet-4-5
//	anthropic/claude-opus-4.6                      claude-opus-4-6
//	claude-opus-4@20250514                         claude-opus-4
//	claude-opus-4-8[1m]                            claude-opus-4-8
//	claude-4.6-opus                                claude-opus-4-6
//	Claude Haiku 4.5                               claude-haiku-4-5
//
// The result is the last element after a slash in lower case, with blanks and dots as
// hyphens, without the prefix of a provider and without suffixes of versions, and with
// the version of Claude after the name of the model, up to Claude 3 before it.
func Normalize(model string) string {
	id, _ := normalize(nil, model)
	return string(id)
}

// normalize returns the normalized id, in the buffer if that is large enough, and
// whether the id is that of an inference profile of a region.
func normalize(id []byte, model string) (normalized []byte, regional bool) {
	model = model[strings.LastIndexByte(model, '/')+1:]
	id = append(id[:0], strings.Trim(model, blanks)...)
	for i, c := range id {
		switch {
		case 'A' <= c && c <= 'Z':
			id[i] = c + 'a' - 'A'
		case c == '.' || strings.IndexByte(blanks, c) >= 0:
			id[i] = '-'
		}
	}
	id, regional = trimPrefix(id)
	return trimSuffixes(id), regional
}

const blanks = " \t\n\v\f\r"

// trimPrefix removes "anthropic-", also after the prefix of an inference profile of
// Amazon Bedrock: of all regions or of one group of regions.
func trimPrefix(id []byte) (rest []byte, regional bool) {
	before, after, ok := bytes.Cut(id, []byte("anthropic-"))
	if !ok {
		return id, false
	}
	switch string(before) {
	case "", "global-":
		return after, false
	case "apac-", "au-", "ca-", "eu-", "jp-", "us-", "us-gov-":
		return after, true
	}
	return id, false
}

// trimSuffixes removes "[1m]", "-latest", "-v1:0", "-v1" and dates: -20250929 and
// @20250929. It also orders what is left, see orderVersion.
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
	} else if !bytes.HasPrefix(id, []byte(claude)) { // others have it in their names: deepseek-v3
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

// orderVersion moves the version of Claude, in place, to where Anthropic writes it:
// after the name of the model, and up to Claude 3 before it, such as in
// claude-3-5-haiku. It reports whether it has moved it.
func orderVersion(id []byte) bool {
	rest, ok := bytes.CutPrefix(id, []byte(claude))
	if !ok || len(rest) == 0 {
		return false
	}
	isFirst, next := rest[0] <= '9', digits
	if isFirst {
		next = letters
	}
	end := bytes.IndexAny(rest, next) - 1
	if end < 1 || rest[end] != '-' {
		return false
	}
	name, version := rest[:end], rest[end+1:]
	if isFirst {
		name, version = version, name
	}
	major, minor, hasMinor := bytes.Cut(version, []byte("-"))
	if len(bytes.Trim(name, letters)) > 0 || !isNumber(major) || hasMinor && !isNumber(minor) {
		return false
	}
	if isOld := len(major) == 1 && major[0] <= '3'; isOld == isFirst {
		return false
	}
	second := len(rest) - end - 1
	slices.Reverse(rest)
	slices.Reverse(rest[:second])
	slices.Reverse(rest[second+1:])
	return true
}

// isNumber reports whether a part of a version is one, and not a date.
func isNumber(part []byte) bool {
	return len(part) > 0 && len(part) <= 2 && len(trimDigits(part)) == 0
}
