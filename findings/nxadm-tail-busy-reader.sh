#!/usr/bin/env bash
# nxadm/tail loses whole lines if its reader is busy when a line is half written.
#
# Subject:  github.com/nxadm/tail v1.4.11, Config{Follow: true}
# Expected: every line of a growing file arrives once, as it does with `tail -f`.
# Seen:     a line that is half written is delivered as if it were one. Then the library goes
#           to the end of the file, but only after its reader has taken the half. What was
#           appended in between, the other half and the complete line after it, never arrives.
#           There is no error.
# So:       a reader of session files or logs that does anything slow with a line (a write to
#           a database, a full channel) drops records. It takes a line in two writes and load,
#           so tests rarely show it. CompleteLines: true is right in both respects.
# How seen: a program writes half a line, waits until the library has read the half, appends
#           the other half and one more line, and only then receives. The control is the same
#           with CompleteLines, where nothing is to be received before.
# Needs:    go.
set -euo pipefail
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat >go.mod <<'MOD'
module finding

go 1.23
MOD
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nxadm/tail"
)

func main() {
	for _, complete := range []bool{false, true} {
		name := filepath.Join(os.Args[1], fmt.Sprint("file", complete))
		file, err := os.Create(name)
		check(err)
		_, err = file.WriteString(`{"first":`)
		check(err)
		t, err := tail.TailFile(name, tail.Config{Follow: true, CompleteLines: complete, Logger: tail.DiscardingLogger})
		check(err)
		time.Sleep(time.Second) // the library reads the half; the reader is busy
		_, err = file.WriteString("1}\n{\"second\":2}\n")
		check(err)
		fmt.Printf("CompleteLines=%t:", complete)
		for quiet := false; !quiet; {
			select {
			case line := <-t.Lines:
				fmt.Printf(" %d=%s", line.Num, line.Text)
			case <-time.After(2 * time.Second):
				quiet = true
			}
		}
		fmt.Println()
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
GO
go mod edit -require=github.com/nxadm/tail@v1.4.11
go mod tidy >tidy.log 2>&1 || { cat tidy.log >&2; exit 2; }
seen=$(go run . "$tmp")
echo "$seen"
if [ "$seen" != 'CompleteLines=false: 1={"first":
CompleteLines=true: 1={"first":1} 2={"second":2}' ]; then
	echo "this has changed" >&2
	exit 1
fi
