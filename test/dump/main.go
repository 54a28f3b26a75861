// The program dump prints a state directory as text: the headers of its files, the rows
// of the snapshot, and what each frame of the journal changes. Fields have numbers, see
// test/statetest/numbers.txt. It changes nothing, and a daemon may use the directory.
//
//	go run ./test/dump DIR
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/follow"
	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/state"
	"github.com/ccwatchd/ccwatchd/state/checkpoint"
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/test/statetest"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	err := run(os.Args[1:], out)
	if err = errors.Join(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "dump:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 1 {
		return errors.New("expected a state directory")
	}
	files, err := checkpoint.Inspect(args[0])
	if err != nil {
		return fmt.Errorf("inspect state: %w", err)
	}
	s := state.New(ledger.Options{}, time.Now)
	follow.NewFileTable(s)
	d := dumper{out, s.Tables(), statetest.TableNames()}
	for _, f := range files {
		d.file(&f)
	}
	return nil
}

// A dumper prints encoded tables.
type dumper struct {
	out    io.Writer
	tables *table.Set
	names  map[table.Number]string
}

func (d *dumper) print(format string, args ...any) { _, _ = fmt.Fprintf(d.out, format+"\n", args...) }

func (d *dumper) file(f *checkpoint.File) {
	d.print("%s: format %d, generation %d", f.Name, f.Format, f.Generation)
	if f.Follows > 0 {
		d.print("  follows journal-%d of %d bytes", f.Follows, f.Length)
	}
	for i, content := range f.Contents {
		if f.Name == "state" {
			d.print("  snapshot: %d bytes", len(content))
		} else {
			d.print("  frame %d: %d bytes", i+1, len(content))
		}
		if err := statetest.Fields(content, d.table); err != nil {
			d.print("    %v", err)
		}
	}
	if f.Err != nil {
		d.print("  %d bytes are not read: %v", f.Unread, f.Err)
	}
}

// table prints a table of a snapshot or frame.
func (d *dumper) table(n table.Number, _ protowire.Type, content []byte) {
	d.print("    table %d %s: %d bytes", n, d.names[n], len(content))
	if n == ledger.CountersField { // has no rows
		return
	}
	err := d.tables.Split(n, content, func(e table.Entry) {
		if e.Removed {
			d.print("      %sremoved", key(e.Key))
			return
		}
		d.print("      %s%s", key(e.Key), fields(e.Patch))
	})
	if err != nil {
		d.print("      %v", err)
	}
}

// key returns a key as text: a number, or a hash or any other key in hexadecimal
// digits. The values of an interner have no keys.
func key(b []byte) string {
	if n, size := binary.Uvarint(b); size > 0 && size == len(b) && size < 8 {
		return fmt.Sprintf("%d: ", n)
	} else if len(b) > 0 {
		return fmt.Sprintf("%x: ", b)
	}
	return ""
}

// fields returns the fields of a row or of its patch.
func fields(patch []byte) string {
	var all []string
	zeroed, row := statetest.CutZeroed(patch)
	for _, n := range zeroed {
		all = append(all, fmt.Sprintf("%d=0", n))
	}
	err := statetest.Fields(row, func(n table.Number, t protowire.Type, content []byte) {
		switch value, _ := protowire.ConsumeVarint(content); {
		case t == protowire.VarintType:
			all = append(all, fmt.Sprintf("%d=%d", n, int64(value)))
		case t == protowire.BytesType && utf8.Valid(content):
			all = append(all, fmt.Sprintf("%d=%q", n, content))
		default:
			all = append(all, fmt.Sprintf("%d=%x", n, content))
		}
	})
	if err != nil {
		all = append(all, err.Error())
	}
	return strings.Join(all, " ")
}
