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

// A Program is what a service runs.
type Program struct {
	Path string   // of the executable, absolute
	Args []string // in the place of those that the unit has
	Env  map[string]string
	User string // whose rights it has, where the unit says that
	Home string // of that user
}

// errControl says that a word cannot stand in a unit.
var errControl = errors.New("it has a control character or is not UTF-8, which no unit can hold")

// Unit returns the unit of that name, made to run p. It is an error if one of
// p's words cannot stand in a unit.
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
	text := Read(name)
	switch name {
	case SystemdSystem, SystemdUser:
		return p.systemd(text), nil
	case LaunchDaemon, LaunchAgent:
		return p.launchd(text), nil
	case OpenRC:
		return p.openRC(text), nil
	default:
		return p.freeBSD(text), nil
	}
}

// put replaces what a pattern matches, which is there once, as tests see to.
func put(text, pattern, by string) string {
	return regexp.MustCompile(pattern).ReplaceAllLiteralString(text, by)
}

// env returns a line for each variable of the environment, in their order.
func (p Program) env(line func(name, value string) string) string {
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		lines.WriteString(line(name, p.Env[name]) + "\n")
	}
	return lines.String()
}

// each returns the words, each changed by f, with spaces between.
func each(words []string, f func(string) string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = f(word)
	}
	return strings.Join(quoted, " ")
}

// systemd keeps the variable for further arguments, so that the files that the
// unit names have an effect here too.
func (p Program) systemd(text string) string {
	env := p.env(func(name, value string) string { return "Environment=" + systemdWord(name+"="+value) })
	argument := func(word string) string { return strings.ReplaceAll(systemdWord(word), "$", "$$") }
	return put(text, `(?m)^ExecStart=.*$`, env+"ExecStart="+systemdWord(p.Path)+" "+each(p.Args, argument)+" $ARGS")
}

// systemdWord quotes a word as systemd.syntax(7) has it.
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
	text = put(text, `(?s)(\t\t<string>[^\n]*\n)+\t</array>`, words.String()+"\t</array>")
	if env := p.env(func(name, value string) string {
		return "\t\t<key>" + html(name) + "</key>\n\t\t<string>" + html(value) + "</string>"
	}); env != "" {
		text = put(text, `\t<key>RunAtLoad</key>`, "\t<key>EnvironmentVariables</key>\n\t<dict>\n"+env+"\t</dict>\n\t<key>RunAtLoad</key>")
	}
	return strings.NewReplacer("/Users/you/", html(p.Home)+"/", ">you<", ">"+html(p.User)+"<").Replace(text)
}

func (p Program) openRC(text string) string {
	text = put(text, `(?m)^command=.*$`, p.env(shellExport)+"command="+shellWord(p.Path))
	return put(text, `(?m)^command_args=.*$`, `command_args="`+inDoubleQuotes(each(p.Args, shellWord))+` ${CCWATCHD_ARGS}"`)
}

func (p Program) freeBSD(text string) string {
	text = put(text, `(?m)^load_rc_config.*$`, p.env(shellExport)+"load_rc_config $name")
	text = put(text, `ccwatchd_runas:=ccwatchd`, "ccwatchd_runas:="+p.User)
	command := inDoubleQuotes(each(append([]string{p.Path}, p.Args...), shellWord))
	return put(text, `/usr/local/bin/ccwatchd run [^$]*`, command+" ")
}

func shellExport(name, value string) string { return "export " + name + "=" + shellWord(value) }

// inDoubleQuotes keeps a text as it is between double quotes of a shell.
func inDoubleQuotes(text string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text)
}

// shellWord quotes a word for a shell.
func shellWord(word string) string {
	if regexp.MustCompile(`^[\w@%+=:,./-]+$`).MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
