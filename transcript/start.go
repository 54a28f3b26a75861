package transcript

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxEncoded is the maximum number of characters that Claude Code encodes of a
// directory; it replaces the rest with a hash.
const maxEncoded = 200

// EncodedDirs returns the names on the path of a transcript that may be encoded
// directories, the innermost first. Claude Code names the directory of a session's
// transcript after the session's start directory: every character that is no ASCII
// letter or digit is "-". CLAUDE_CODE_PROJECT_DIR_NAME replaces that name.
func EncodedDirs(name string) (all []string) {
	dir, _ := filepath.Split(name)
	for name := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		if strings.HasPrefix(name, "-") || len(name) > 2 && name[1:3] == "--" {
			all = append(all, name)
		}
	}
	slices.Reverse(all)
	return all
}

// StartDir returns the directory that a name encodes: the working directory of a line,
// or a directory above it. It returns "" if no directory matches.
func StartDir(encoded []string, cwd string) string {
	for _, name := range encoded {
		if n := encodedLen(name, cwd); n > 0 {
			return cwd[:n]
		}
	}
	return ""
}

// encodedLen returns the length of the directory at the beginning of cwd whose encoded
// form is name, 0 if there is none. If the name has a hash, the directory is all of
// cwd.
func encodedLen(name, cwd string) int {
	end := min(len(name), maxEncoded)
	n := 0 // bytes of cwd
	for i := 0; i < end; {
		r, size := utf8.DecodeRuneInString(cwd[n:])
		if size == 0 {
			return 0
		}
		units := 1 // of UTF-16; Claude Code counts each as a character
		if r > 0xffff {
			units = 2
		}
		for range units {
			if i == end || name[i] != encodedRune(r) {
				return 0
			}
			i++
		}
		n += size
	}
	isRoot := n == 1 || n == len(`C:\`)
	switch {
	case end < len(name) && n < len(cwd):
		return len(cwd)
	case n == len(cwd) || isSeparator(cwd[n]) || isRoot && isSeparator(cwd[n-1]):
		return n
	}
	return 0
}

func encodedRune(r rune) byte {
	if '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
		return byte(r)
	}
	return '-'
}

func isSeparator(c byte) bool { return c == '/' || c == '\\' }

// SessionTranscript returns the path of the transcript of the session that started a
// sub-agent, given the path of the sub-agent's transcript and the session's id. It
// returns "" if the id cannot be the name of a file.
func SessionTranscript(name, sessionID string) string {
	name = filepath.ToSlash(name)
	if session, _, ok := strings.Cut(name, "/subagents/"); ok {
		return filepath.FromSlash(session + transcriptSuffix)
	}
	if sessionID == "" || strings.ContainsAny(sessionID, "/\\") {
		return ""
	}
	dir := path.Dir(name)
	if path.Base(dir) == sessionID {
		dir = path.Dir(dir)
	}
	return filepath.FromSlash(path.Join(dir, FileName(sessionID)))
}
