package packaging

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Program is the command of a service.
type Program struct {
	Path string   // of the executable, absolute
	Args []string // replace those in the file
	Env  map[string]string
	User string // to run as, for units that set one
	Home string // home directory of User
}

var errControl = errors.New("control characters and invalid UTF-8 cannot be quoted in a unit")

// Unit returns the unit with that name, changed to run p. It fails if an argument or
// variable of p cannot be quoted.
func Unit(name string, p Program) (string, error) {
	words := append([]string{p.Path}, p.Args...)
	for _, k := range slices.Sorted(maps.Keys(p.Env)) {
		words = append(words, k+"="+p.Env[k])
	}
	for _, word := range words {
		if strings.ContainsFunc(word, unicode.IsControl) || !utf8.ValidString(word) {
			return "", fmt.Errorf("write %q into a unit: %w", word, errControl)
		}
	}
	if name == SystemdSystem || name == SystemdUser {
		return p.systemd(Read(name)), nil
	}
	return p.launchd(Read(name)), nil
}

// replace replaces the only match of a pattern.
func replace(text, pattern, with string) string {
	return regexp.MustCompile(pattern).ReplaceAllLiteralString(text, with)
}

// env returns a line for each environment variable, sorted by name.
func (p Program) env(line func(name, value string) string) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		lines.WriteString(line(name, p.Env[name]) + "\n")
	}
	return lines.String()
}

// joinQuoted quotes words and joins them with spaces.
func joinQuoted(words []string, quote func(string) string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

// systemd keeps $ARGS, so that the environment files of the unit still apply.
func (p Program) systemd(text string) string {
	env := p.env(func(name, value string) string { return "Environment=" + systemdWord(name+"="+value) })
	argument := func(word string) string { return strings.ReplaceAll(systemdWord(word), "$", "$$") }
	return replace(text, `(?m)^ExecStart=.*$`, env+"ExecStart="+systemdWord(p.Path)+" "+joinQuoted(p.Args, argument)+" $ARGS")
}

// systemdWord quotes a word as described in systemd.syntax(7).
func systemdWord(word string) string {
	word = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`).Replace(word)
	if word == "" || strings.ContainsAny(word, ` '";\`) {
		return `"` + word + `"`
	}
	return word
}

func (p Program) launchd(text string) string {
	html := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace
	var words strings.Builder
	for _, word := range append([]string{p.Path}, p.Args...) {
		words.WriteString("\t\t<string>" + html(word) + "</string>\n")
	}
	text = replace(text, `(?s)(\t\t<string>[^\n]*\n)+\t</array>`, words.String()+"\t</array>")
	if env := p.env(func(name, value string) string {
		return "\t\t<key>" + html(name) + "</key>\n\t\t<string>" + html(value) + "</string>"
	}); env != "" {
		text = replace(text, `\t<key>RunAtLoad</key>`, "\t<key>EnvironmentVariables</key>\n\t<dict>\n"+env+"\t</dict>\n\t<key>RunAtLoad</key>")
	}
	return strings.NewReplacer("/Users/you/", html(p.Home)+"/", ">you<", ">"+html(p.User)+"<").Replace(text)
}
