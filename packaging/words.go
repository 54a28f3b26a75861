package packaging

import (
	"html"
	"regexp"
	"strings"
)

// Args returns the arguments of the program in a unit that Unit or a package made from
// the file with that name. It returns nil if it finds no arguments.
func Args(name, text string) []string {
	var words []string
	if name == SystemdSystem || name == SystemdUser {
		command := strings.NewReplacer("%%", "%", "$$", "$", " $ARGS", "").Replace(submatch(text, `(?m)^ExecStart=(.*)$`))
		words = split(command)
	} else {
		for _, m := range regexp.MustCompile(`<string>(.*)</string>`).FindAllStringSubmatch(submatch(text, `(?s)<array>(.*)</array>`), -1) {
			words = append(words, html.UnescapeString(m[1]))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return words[1:]
}

// MoreArgs returns the arguments that an environment file adds to a systemd unit: the
// words of the variable ARGS.
func MoreArgs(text string) []string {
	value := split(submatch(text, `(?m)^\s*ARGS=(.*)$`))
	if len(value) == 0 {
		return nil
	}
	return split(value[0])
}

// submatch returns the first group of a pattern, or an empty string.
func submatch(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// split splits a line at unquoted spaces, as shells and systemd do.
func split(line string) []string {
	var (
		words  []string
		word   strings.Builder
		inWord bool
		quote  rune
	)
	end := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, inWord = true, true
		case quote == 0 && (r == '"' || r == '\''):
			quote, inWord = r, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == ' ' || r == '\t'):
			end()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	end()
	return words
}
