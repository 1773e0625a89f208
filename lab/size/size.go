// Package size weighs the program: what it takes on a disk and in a download, and whether
// the linker has kept what is never called.
package size

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
)

// MB is a million bytes.
const MB = 1e6

// Limits of the program on linux/amd64.
const (
	MostBytes  = 45 * MB
	MostZipped = 15 * MB
	MostMemory = 25 * MB // of `drainboard version`
)

// Program is what is known of a built program.
type Program struct {
	Bytes, Zipped int
	// Kept are the methods that nobody calls, of those that are looked for, and are there
	// all the same.
	Kept []string
}

// uncalled are methods of libraries that Drainboard links and has no call of, and called one
// that it calls. Their names are in the program's table of functions, which stripping leaves.
var (
	uncalled = []string{
		"aws-sdk-go-v2/service/ec2.(*Client).CreateVpc",
		"aws-sdk-go-v2/service/ec2.(*Client).ImportKeyPair",
		"aws-sdk-go-v2/service/s3.(*Client).CreateBucket",
		"aws-sdk-go-v2/service/autoscaling.(*Client).PutScalingPolicy",
	}
	called = "aws-sdk-go-v2/service/ec2.(*Client).DescribeInstances"
)

// Read weighs a program.
func Read(path string) (Program, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Program{}, err
	}
	if !has(text, called) {
		return Program{}, fmt.Errorf("%s has no function %s: it is looked for where functions are not named", path, called)
	}
	p := Program{Bytes: len(text)}
	for _, name := range uncalled {
		if has(text, name) {
			p.Kept = append(p.Kept, name)
		}
	}
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write(text); err != nil {
		return p, err
	}
	err = w.Close()
	p.Zipped = zipped.Len()
	return p, err
}

// has reports whether a program has a function: the table has its whole name, ended by zero.
func has(program []byte, name string) bool { return bytes.Contains(program, []byte(name+"\x00")) }
