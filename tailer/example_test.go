package tailer_test

import (
	"fmt"
	"log"
	"os"

	"github.com/ccwatchd/ccwatchd/tailer"
)

// Example reads the lines appended to a file since its cursor and fingerprint were
// taken.
func Example() {
	dir, err := os.MkdirTemp("", "tailer")
	check(err)
	defer func() { _ = os.RemoveAll(dir) }()
	root, err := os.OpenRoot(dir)
	check(err)
	defer func() { _ = root.Close() }()

	reader := tailer.NewReader(0)
	var cursor tailer.Cursor
	var fingerprint tailer.Fingerprint
	for _, content := range []string{"one\ntw", "one\ntwo\nthree\n", "four\n", "five\nsix\n"} {
		check(root.WriteFile("x.jsonl", []byte(content), 0o600))
		f, info, err := tailer.Open(root, "x.jsonl")
		check(err)
		verdict, err := fingerprint.Check(f, info.Size())
		check(err)
		if verdict != tailer.Unchanged {
			fmt.Println(verdict)
			cursor = tailer.Cursor{}
		}
		cursor, err = reader.Lines(f, info.Size(), cursor, func(l tailer.Line) error {
			fmt.Printf("%d-%d %s\n", l.Start, l.End, l.Bytes)
			return nil
		})
		check(err)
		fingerprint, err = tailer.NewFingerprint(f, cursor.Offset)
		check(err)
		check(f.Close())
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

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}
