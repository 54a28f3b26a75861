package packaging

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// Args returns the arguments with which a unit, made of the file of that name,
// runs the program: what Unit was given, or what the file has. It returns nil
// if there are none to be found.
func Args(name, text string) []string {
	var words []string
	switch name {
	case SystemdSystem, SystemdUser:
		command := strings.NewReplacer("%%", "%", "$$", "$", " $ARGS", "").Replace(found(text, `(?m)^ExecStart=(.*)$`))
		words = split(command)
	case LaunchDaemon, LaunchAgent:
		for _, m := range regexp.MustCompile(`<string>(.*)</string>`).FindAllStringSubmatch(found(text, `(?s)<array>(.*)</array>`), -1) {
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

// MoreArgs returns the arguments that a file with assignments adds to those of
// a unit: the words of all variables whose names end with "args".
func MoreArgs(text string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`(?mi)^\s*(\w*args)=`).FindAllStringSubmatch(text, -1) {
		words = append(words, variable(text, m[1])...)
	}
	return words
}

// found returns what the group of a pattern matches.
func found(text, pattern string) string {
	if m := regexp.MustCompile(pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// variable returns the words that are assigned to a variable of a shell, save
// those that are variables themselves.
func variable(text, name string) []string {
	value := split(found(text, `(?m)^\s*`+name+`=(.*)$`))
	if len(value) == 0 {
		return nil
	}
	return slices.DeleteFunc(split(value[0]), func(word string) bool { return strings.HasPrefix(word, "${") })
}

// split makes words of a line, as shells and systemd do: they end at spaces that
// are not quoted.
func split(line string) []string {
	var (
		words []string
		word  strings.Builder
		begun bool
		quote rune
	)
	end := func() {
		if begun {
			words = append(words, word.String())
		}
		word.Reset()
		begun = false
	}
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == ' ' || r == '\t'):
			end()
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	end()
	return words
}
