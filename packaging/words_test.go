package packaging

import (
	"slices"
	"strings"
	"testing"
)

func TestArgsAreThoseOfTheUnit(t *testing.T) {
	for _, name := range units {
		for _, p := range []Program{plain, awkward, {Path: "/a", Args: []string{"run"}}} {
			text, err := Unit(name, p)
			if err != nil {
				t.Fatal(err)
			}
			if got := Args(name, text); !slices.Equal(got, p.Args) {
				t.Errorf("%s: got arguments\n%q, want\n%q", name, got, p.Args)
			}
		}
		for _, text := range []string{"", "[Unit]\n", "ExecStart=", "ExecStart=/a", "<array></array>"} {
			if got := Args(name, text); len(got) > 0 {
				t.Errorf("%s: got arguments %q from %q, want none", name, got, text)
			}
		}
	}
}

func TestMoreArgs(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		`ARGS=""`:                              "",
		"# ARGS=\"--a=1\"\nARGS=\"--b=2 --c\"": "--b=2|--c",
		"ARGS='--a=\"x y\" --b'":               "--a=x y|--b",
		"ARGS=--a=1 # --b":                     "--a=1",
		"OTHER_ARGS=--b\nARGS=\"--a=1\"\n":     "--a=1",
		`ARGS="--a=1`:                          "--a=1",
		`ARGS=\`:                               "",
	} {
		if got := strings.Join(MoreArgs(text), "|"); got != want {
			t.Errorf("got arguments %q from %q, want %q", got, text, want)
		}
	}
}

func FuzzArgs(f *testing.F) {
	for _, name := range units {
		f.Add(Read(name))
	}
	f.Fuzz(func(_ *testing.T, text string) {
		for _, name := range units {
			Args(name, text)
		}
		MoreArgs(text)
	})
}

// Args returns the arguments that Unit was given.
func FuzzUnit(f *testing.F) {
	f.Add("/a", "--b=c d", "$x")
	f.Add(awkward.Path, awkward.Args[2], awkward.Args[3])
	f.Fuzz(func(t *testing.T, path, first, second string) {
		p := Program{Path: path, Args: []string{"run", first, second}, User: "alice", Home: "/home/alice"}
		for _, name := range units {
			text, err := Unit(name, p)
			if err != nil || path == "" {
				continue
			}
			if got := Args(name, text); !slices.Equal(got, p.Args) {
				t.Errorf("%s: got arguments\n%q, want\n%q:\n%s", name, got, p.Args, text)
			}
		}
	})
}
