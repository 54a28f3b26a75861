// Command generate writes a corpus of session files. It is for the development of
// ccwatchd only.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

const help = `Generates session files like those of Claude Code.

  DIR/projects/...   the transcripts, and other files that lie beside them;
                     one project is a link to DIR/synchronized
  DIR/tokens.json    the tokens of all requests, for .ci/compare

The same flags give the same files. For example:

  generate /tmp/small
  generate --seed 7 --size 2GB /tmp/big
  generate --requests 30 --size 200MB /tmp/today
  generate --projects 300 --unpriced 60 --size 300MB /tmp/many
  go run ./test/reference/compare /tmp/small/projects`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run returns the exit code: 0, 1 after a failure, 2 if the arguments are invalid.
func run(args []string, stdout, stderr io.Writer) int {
	var o corpus.Options
	app := kingpin.New("generate", help)
	app.HelpFlag.Short('h')
	app.Flag("seed", "Seed of the random numbers.").Default("1").Uint64Var(&o.Seed)
	size := app.Flag("size", "Approximate size of all transcripts, such as 500MB or 2GB; at least about 2MB.").Default("64MB").Bytes()
	app.Flag("projects", "Number of projects.").Default("24").IntVar(&o.Projects)
	app.Flag("unpriced", "Number of models without a list price.").Default("1").IntVar(&o.Unpriced)
	app.Flag("requests", "Number of requests of each session. With it, only the newest version writes sessions, and nothing unusual.").IntVar(&o.Requests)
	until := app.Flag("until", "Day of the last session, such as 2026-08-31. By default each session is in the time of its version.").PlaceHolder("DAY").String()
	dir := app.Arg("dir", "Directory to write to, empty or missing.").Required().String()
	done := false
	app.Terminate(func(int) { done = true })
	app.UsageWriter(stdout).ErrorWriter(stderr)
	_, err := app.Parse(args)
	switch {
	case done:
		return 0
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "generate: %v; try --help\n", err)
		return 2
	}
	o.Size = int64(*size)
	if err := generate(*dir, o, *until, stderr); err != nil {
		_, _ = fmt.Fprintln(stderr, "generate:", err)
		return 1
	}
	return 0
}

// errNotEmpty prevents mixing two corpora, whose totals would both be wrong.
var errNotEmpty = errors.New("the directory is not empty")

func generate(dir string, o corpus.Options, until string, stderr io.Writer) error {
	if until != "" {
		var err error
		if o.Until, err = time.Parse(time.DateOnly, until); err != nil {
			return fmt.Errorf("parse --until: %w", err)
		}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s: %w", dir, errNotEmpty)
	}
	summary, err := corpus.Generate(dir, o)
	if err == nil {
		err = addLinks(dir)
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stderr, "%d transcripts, %d lines, %d bytes\n", summary.Files, summary.Lines, summary.Bytes)
	tokens, err := json.Marshal(map[string]corpus.Tokens{"totals": summary.Tokens})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "tokens.json"), tokens, 0o600)
}
