package statetest

import (
	_ "embed"
	"regexp"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/ccwatchd/ccwatchd/table"
)

// numbersText lists the persisted numbers with their meanings, see TestNumbers.
//
//go:embed numbers.txt
var numbersText string

var tableLine = regexp.MustCompile(`(?m)^(\w+) table\.Number (\d+) = (\w+)$`)

// TableNames returns the names of the constants with the numbers of tables.
func TableNames() map[table.Number]string {
	names := make(map[table.Number]string)
	for _, m := range tableLine.FindAllStringSubmatch(numbersText, -1) {
		n, _ := strconv.Atoi(m[2])
		names[table.Number(n)] = m[1] + "." + m[3]
	}
	return names
}

// Fields calls visit for each field of a snapshot, a frame or a row, with its content
// after the tag and, of text, the length.
func Fields(b []byte, visit func(n table.Number, t protowire.Type, content []byte)) error {
	for len(b) > 0 {
		n, t, size := protowire.ConsumeField(b)
		if size < 0 {
			return errInvalid
		}
		content := b[protowire.SizeTag(n):size]
		if t == protowire.BytesType {
			content, _ = protowire.ConsumeBytes(content)
		}
		visit(n, t, content)
		b = b[size:]
	}
	return nil
}

// Rows returns the number of rows of each table in a snapshot, by the tables of a set.
func Rows(snapshot []byte, tables *table.Set) (map[table.Number]int, error) {
	rows := make(map[table.Number]int)
	var failure error
	err := Fields(snapshot, func(n table.Number, _ protowire.Type, content []byte) {
		if err := tables.Split(n, content, func(table.Entry) { rows[n]++ }); err != nil && n != 1 {
			failure = err
		}
	})
	if err == nil {
		err = failure
	}
	return rows, err
}
