package main

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
)

const (
	text    = 1
	closing = 8
)

func accept(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// One frame of RFC 6455 5.2, of at most 65,535 bytes; the mask of a client is zero.
func frame(operation byte, payload []byte, masked bool) []byte {
	head := []byte{0x80 | operation}
	mask := byte(0)
	if masked {
		mask = 0x80
	}
	if len(payload) < 126 {
		head = append(head, mask|byte(len(payload)))
	} else {
		head = append(head, mask|126)
		head = binary.BigEndian.AppendUint16(head, uint16(len(payload)))
	}
	if masked {
		head = append(head, 0, 0, 0, 0)
	}
	return append(head, payload...)
}

func readFrame(reader *bufio.Reader) (byte, []byte, error) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(reader, head); err != nil {
		return 0, nil, err
	}
	size := int(head[1] & 0x7f)
	if size == 127 {
		return 0, nil, errors.New("frame is too long")
	}
	if size == 126 {
		longer := make([]byte, 2)
		if _, err := io.ReadFull(reader, longer); err != nil {
			return 0, nil, err
		}
		size = int(binary.BigEndian.Uint16(longer))
	}
	mask := make([]byte, 4)
	if head[1]&0x80 != 0 {
		if _, err := io.ReadFull(reader, mask); err != nil {
			return 0, nil, err
		}
	}
	payload := make([]byte, size)
	if _, err := io.ReadFull(reader, payload); err != nil {
		return 0, nil, err
	}
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return head[0] & 15, payload, nil
}
