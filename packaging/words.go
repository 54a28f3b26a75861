package packaging

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// Args returns the arguments of the program in a unit that Unit or a package made
// from the file with that name. It returns nil if it finds none.
func Args(name, text string) []string {
	var words []string
	switch name {
	case SystemdSystem, SystemdUser:
		command := strings.NewReplacer("%%", "%", "$$", "$", " $ARGS", "").Replace(submatch(text, `(?m)^ExecStart=(.*)$`))
		words = split(command)
	case LaunchDaemon, LaunchAgent:
		for _, m := range regexp.MustCompile(`<string>(.*)</string>`).FindAllStringSubmatch(submatch(text, `(?s)<array>(.*)</array>`), -1) {
			words = append(words, html.UnescapeString(m[1]))
		}
	case OpenRC:
		return variable(text, "command_args")
	default:
		words = variable(text, "command_args")
		for len(words) > 0 && words[0] != "-u" {
			words = words[1:]
		}
		words = words[min(1, len(words)):]
	}
	if len(words) == 0 {
		return nil
	}
	return words[1:]
}

// MoreArgs returns the arguments that an environment file adds to those of a unit:
// the words of all variables whose names end with "args".
func MoreArgs(text string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`(?mi)^\s*(\w*args)=`).FindAllStringSubmatch(text, -1) {
		words = append(words, variable(text, m[1])...)
	}
	return words
}

// submatch returns the first group of a pattern, or an empty string.
func submatch(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// variable returns the words that a shell script assigns to a variable, without
// references to other variables.
func variable(text, name string) []string {
	value := split(submatch(text, `(?m)^\s*`+name+`=(.*)$`))
	if len(value) == 0 {
		return nil
	}
	return slices.DeleteFunc(split(value[0]), func(word string) bool { return strings.HasPrefix(word, "${") })
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
