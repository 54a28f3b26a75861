//go:build unix

package daemon

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/polltest"
)

func makeFIFO(t testing.TB, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

// makeSpecialFiles creates directory entries that are named like transcripts but are no
// regular files, with data that must not be read.
func (h *harness) makeSpecialFiles(dir string) {
	h.Helper()
	path := func(name string) string { return h.Path(dir + "/" + name) }
	outside := h.TempDir()
	secret := filepath.Join(outside, "secret.jsonl")
	h.Must(os.MkdirAll(path("directory.jsonl"), 0o700))
	h.Must(os.WriteFile(secret, []byte(replies("outside", 1)), 0o600))
	h.Must(os.WriteFile(path("inside.txt"), []byte(replies("inside", 1)), 0o600))
	for name, target := range map[string]string{
		"to-a-file-outside.jsonl":      secret,
		"to-a-file-inside.jsonl":       "inside.txt",
		"to-a-directory-outside":       outside,
		"to-a-directory-outside.jsonl": outside,
		"upwards":                      "..",
		"loop.jsonl":                   "loop.jsonl",
		"dangling.jsonl":               "nowhere",
		"memory.jsonl":                 "/proc/self/mem",
		"zero.jsonl":                   "/dev/zero",
	} {
		h.Must(os.Symlink(target, path(name)))
	}
	makeFIFO(h, path("fifo.jsonl"))
	makeFIFO(h, path("fifo-written.jsonl"))
	pipe, err := os.OpenFile(path("fifo-written.jsonl"), os.O_RDWR, 0)
	h.Must(err)
	h.Cleanup(func() { _ = pipe.Close() })
	_, err = pipe.WriteString(replies("fifo", 1))
	h.Must(err)
	// The path of a socket must be short.
	listener, err := new(net.ListenConfig).Listen(h.Context(), "unix", filepath.Join(outside, "s"))
	h.Must(err)
	h.Cleanup(func() { _ = listener.Close() })
	h.Must(os.Rename(filepath.Join(outside, "s"), path("socket.jsonl")))
	h.makeDevices(path("zero-device.jsonl"), path("full-device.jsonl"))
}

// Only regular files are read, and special files never block the daemon: at the start,
// while it watches, and while it polls.
func TestSpecialFiles(t *testing.T) {
	t.Parallel()
	for _, watches := range []int{1000, -1} {
		t.Run(fmt.Sprintf("watches=%d", watches), func(t *testing.T) {
			runCases(t, map[string]func(*harness){
				"before the start": func(h *harness) { h.makeSpecialFiles("p"); h.start() },
				"while running":    func(h *harness) { h.startAndScrape(); h.makeSpecialFiles("p") },
			}, func(h *harness, start func(*harness)) {
				h.settings.MaxWatches = watches
				h.Write("p/a.txt", "")
				start(h)
				want := h.writeKnownSession()
				h.waitForSeries(want)
				h.checkReadOnce(want)
				h.checkMetric(unreadableFiles, 0)
			})
		})
	}
}

// Files with any bytes in their names count, and labels made of such names are valid.
func TestFileNamesWithAnyBytes(t *testing.T) {
	t.Parallel()
	labels := map[string]string{ // by name
		strings.Repeat("n", 255-len(".jsonl")): strings.Repeat("n", 128),
		strings.Repeat("é", 124):               strings.Repeat("é", 64),
		"a\xff\xfeb":                           "a\ufffd\ufffdb",
		"two\nlines":                           "twolines",
		"x\"} 1\r\n":                           `x"} 1`,
		"\x1b[31mred\x07\x01\x7f":              "[31mred",
		`back\slash`:                           `back\slash`,
		"{a=\"b\"}":                            "{a=\"b\"}",
		"\u202egnp.exe":                        "\u202egnp.exe",
		" ":                                    " ",
		"-rf *":                                "-rf *",
		"%s%n$(x)`x`":                          "%s%n$(x)`x`",
		"\xed\xa0\x80"[:1]:                     "\ufffd",
		"caf\u00e9":                            "caf\u00e9",
		"cafe\u0301":                           "caf\u00e9",
	}
	h := newUntrustedHarness(t)
	log := new(polltest.Buffer)
	h.log = log
	want := h.writeKnownSession()
	i := 0
	for name, label := range labels {
		i++
		if i == len(labels)/2 { // the rest are created later
			h.start()
			h.totals()
		}
		// The label is made of the directory in the line, which may contain invalid UTF-8.
		h.Write(name+"/"+name+".jsonl", fmt.Sprintf(
			`{"type":"user","uuid":"u%d","sessionId":"s%d","cwd":"/home/%s","timestamp":"2026-03-01T10:00:00.000Z","message":{"content":"text %d"}}`+"\n",
			i, i, quoteJSON(name), i))
		want[prompts(label)]++
		want[fmt.Sprintf(`claude_sessions_total{project=%q}`, label)]++
	}
	h.waitForSeries(want)
	h.waitForFileCount(len(labels) + 1)
	samples := h.samples()
	for _, label := range labels {
		checkEqual(t, fmt.Sprintf("prompts of %q", label), sum(samples, "claude_prompts_total", "project", label), float64(want[prompts(label)]))
	}
	h.restart()
	h.waitForSeries(want)
	h.stop()
	for line := range strings.Lines(log.String()) {
		if !strings.HasPrefix(line, "time=") {
			t.Errorf("a name has begun a line of the log: %q", line)
		}
	}
}

// quoteJSON quotes text for a JSON string. Bytes that need no escape stay as they are.
func quoteJSON(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c == '"' || c == '\\' || c < ' ' {
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
