package tailer_test

import (
	"fmt"
	"log"
	"os"

	"github.com/ccwatchd/ccwatchd/tailer"
)

// Example reads what was appended to a file since its cursor and fingerprint were taken.
func Example() {
	dir, err := os.MkdirTemp("", "tailer")
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	root, err := os.OpenRoot(dir)
	if err != nil {
		log.Panic(err)
	}
	defer func() { _ = root.Close() }()

	reader := tailer.NewReader(0)
	var cursor tailer.Cursor
	var fingerprint tailer.Fingerprint
	read := func() error {
		f, err := tailer.Open(root, "x.jsonl")
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		verdict, err := fingerprint.Check(f, info.Size())
		if err != nil {
			return err
		}
		if verdict != tailer.Unchanged {
			fmt.Println(verdict)
			cursor = tailer.Cursor{}
		}
		cursor, err = reader.Lines(f, info.Size(), cursor, func(l tailer.Line) error {
			fmt.Printf("%d-%d %s\n", l.Start, l.End, l.Bytes)
			return nil
		})
		if err != nil {
			return err
		}
		fingerprint, err = tailer.NewFingerprint(f, cursor.Offset)
		return err
	}

	for _, content := range []string{"one\ntw", "one\ntwo\nthree\n", "four\n", "five\nsix\n"} {
		if err := root.WriteFile("x.jsonl", []byte(content), 0o600); err != nil {
			log.Panic(err)
		}
		if err := read(); err != nil {
			log.Panic(err)
		}
	}
	// Output:
	// 0-4 one
	// 4-8 two
	// 8-14 three
	// truncated
	// 0-5 four
	// replaced
	// 0-5 five
	// 5-9 six
}
