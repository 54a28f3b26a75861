package state

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/ledger"
	"github.com/ccwatchd/ccwatchd/tailer"
	"github.com/ccwatchd/ccwatchd/test/ledgertest"
	"github.com/ccwatchd/ccwatchd/transcript"
)

type sizes struct{ all []int; tables map[int]int }

func (s *sizes) Append(b []byte) error { s.all = append(s.all, len(b)+12); return nil }

func TestZZMeasure(t *testing.T) {
	root := os.Getenv("MEASURE")
	if root == "" {
		t.Skip()
	}
	j := &sizes{}
	st := New(ledgertest.Options(), time.Now)
	st.Start()
	st.SetJournal(j)
	n := 0
	var took time.Duration
	var paths []string
	filepath.WalkDir(root, func(p string, d os.DirEntry, _ error) error {
		if !d.IsDir() && strings.HasSuffix(p, ".jsonl") {
			paths = append(paths, p)
		}
		return nil
	})
	var lineSizes []int
	for i, p := range paths {
		if i%20 != 0 {
			continue
		}
		id := ledger.FileID(i + 1)
		rel, _ := filepath.Rel(root, p)
		st.Open(ledger.File{ID: id, Kind: transcript.KindOf(rel), Name: transcript.NameKey(rel)}, transcript.KeyOf("path", p), tailer.ID{Device: 1, Inode: uint64(id)}, 1)
		f, _ := os.Open(p)
		sc := bufio.NewScanner(f)
		sc.Buffer(nil, 1<<26)
		var fp tailer.Fingerprint
		for sc.Scan() {
			b := batchOf(id, []string{sc.Text()})
			fp.Offset += int64(b.Bytes)
			fp.Last.Sum = uint32(n * 2654435761)
			fp.Last.Len = uint32(b.Bytes)
			start := time.Now()
			before := len(j.all)
			st.AddBatch(b, fp, time.Now().UnixNano(), true)
			took += time.Since(start)
			if len(j.all) > before {
				lineSizes = append(lineSizes, j.all[len(j.all)-1])
			}
			n++
		}
		f.Close()
		st.FinalizeFile(id)
	}
	slices.Sort(lineSizes)
	sum := 0
	for _, x := range lineSizes {
		sum += x
	}
	fmt.Println("lines", n, "median", lineSizes[len(lineSizes)/2], "p90", lineSizes[len(lineSizes)*9/10], "p99", lineSizes[len(lineSizes)*99/100], "mean", sum/len(lineSizes), "max", lineSizes[len(lineSizes)-1], "per line", took/time.Duration(n))
}
