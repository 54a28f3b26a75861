// Command generate writes a corpus of session files, with the totals that
// whoever reads it must come to. It is for the development of ccwatchd only.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kingpin/v2"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

const help = `Writes session files as Claude Code would, all of them made up, and what they amount to.

  DIR/projects/...   the transcripts, with everything that lies about beside them
  DIR/truth.tsv      their true totals: metric, labels and value

The same flags give the same files. For example:

  generate /tmp/small
  generate --seed 7 --size 2GB /tmp/big
  ccwatchd once /tmp/big | go run ./internal/reference/compare /tmp/big/truth.tsv -`

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run does what the arguments say and returns the exit code: 0, 1 when it
// failed, 2 when the arguments make no sense.
func run(args []string, stdout, stderr io.Writer) int {
	var o corpus.Options
	app := kingpin.New("generate", help)
	app.HelpFlag.Short('h')
	app.Flag("seed", "What is left to chance depends on this number.").Default("1").Uint64Var(&o.Seed)
	size := app.Flag("size", "About how large the transcripts are together, such as 500MB or 2GB; at least about 2MB.").Default("64MB").Bytes()
	app.Flag("projects", "How many projects there are.").Default("24").IntVar(&o.Projects)
	until := app.Flag("until", "Day of the last session, such as 2026-08-31. Default: the days on which Claude Code wrote like this.").PlaceHolder("DAY").String()
	app.Flag("clone-all", "Clones with new uuids repeat turns and compactions too, which the reference counts again.").BoolVar(&o.CloneAll)
	dir := app.Arg("dir", "Directory to write to. It must be empty or not there yet.").Required().String()
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

// errNotEmpty keeps two corpora from being mixed: the totals of neither would
// be those of the directory.
var errNotEmpty = errors.New("there is something in it already")

func generate(dir string, o corpus.Options, until string, stderr io.Writer) error {
	if until != "" {
		var err error
		if o.Until, err = time.Parse(time.DateOnly, until); err != nil {
			return fmt.Errorf("read the day: %w", err)
		}
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s: %w", dir, errNotEmpty)
	}
	o.Progress = progress(o.Size, stderr)
	truth, err := corpus.Generate(dir, o)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(stderr, "%d transcripts, %d lines, %d bytes\n", truth.Files, truth.Lines, truth.Bytes)
	return save(filepath.Join(dir, "truth.tsv"), truth)
}

// progress tells how far it is, for every part that takes some seconds.
func progress(size int64, w io.Writer) func(int64) {
	const part = 256 << 20
	next := int64(part)
	return func(written int64) {
		if written >= next && written < size {
			_, _ = fmt.Fprintf(w, "%d of %d MB\n", written>>20, size>>20)
			next += part
		}
	}
}

func save(path string, truth corpus.Expected) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return truth.WriteTSV(f)
}
