// Command generate is to come.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/ccwatchd/ccwatchd/internal/corpus"
)

func main() {
	seed, _ := strconv.ParseUint(os.Args[1], 10, 64)
	size, _ := strconv.ParseInt(os.Args[2], 10, 64)
	t, err := corpus.Generate(os.Args[3], corpus.Options{Seed: seed, Size: size})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	f, _ := os.Create(os.Args[3] + "/truth.tsv")
	_ = t.WriteTSV(f)
	fmt.Fprintln(os.Stderr, t.Files, t.Lines, t.Bytes)
}
