package pricing

import (
	"bytes"
	"strings"
)

// Normalize returns the id by which a table knows a model. Clouds and gateways write
// the ids of models in several ways:
//
//	us.anthropic.claude-sonnet-4-5-20250929-v1:0   claude-sonnet-4-5
//	anthropic/claude-opus-4.6                      claude-opus-4-6
//	claude-opus-4@20250514                         claude-opus-4
//	claude-opus-4-8[1m]                            claude-opus-4-8
//	Claude Haiku 4.5                               claude-haiku-4-5
//
// The result is the last element after a slash in lower case, with blanks and dots as
// hyphens, without the prefix of a provider and without suffixes of versions.
func Normalize(model string) string {
	return string(normalize(nil, model))
}

// normalize returns the normalized id, in the buffer if that is large enough.
func normalize(id []byte, model string) []byte {
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
	return trimSuffixes(trimPrefix(id))
}

const blanks = " \t\n\v\f\r"

// trimPrefix removes "anthropic-", also behind the region of a cloud.
func trimPrefix(id []byte) []byte {
	if before, after, ok := bytes.Cut(id, []byte("anthropic-")); ok && isRegion(string(before)) {
		return after
	}
	return id
}

// isRegion reports whether a prefix is empty or the group of regions of an inference
// profile of Amazon Bedrock.
func isRegion(prefix string) bool {
	switch prefix {
	case "", "apac-", "au-", "ca-", "eu-", "global-", "jp-", "us-", "us-gov-":
		return true
	}
	return false
}

// trimSuffixes removes "[1m]", "-latest", "-v1:0" and dates: -20250929 and @20250929.
func trimSuffixes(id []byte) []byte {
	for {
		n := len(trimSuffix(id))
		if n == len(id) {
			return id
		}
		id = id[:n]
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
	if minor := trimDigits(id); len(minor) < len(id) && bytes.HasSuffix(minor, []byte(":")) {
		version := minor[:len(minor)-1]
		if major := trimDigits(version); len(major) < len(version) && bytes.HasSuffix(major, []byte("-v")) {
			id = major[:len(major)-len("-v")]
		}
	}
	return id
}

// trimDigits removes the digits at the end.
func trimDigits(id []byte) []byte {
	return bytes.TrimRight(id, "0123456789")
}
