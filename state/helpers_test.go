package state

import "google.golang.org/protobuf/encoding/protowire"

func message(n protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), body)
}
