package kops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/drainboard/drainboard/engine/world"
	"github.com/drainboard/drainboard/providers/asg"
)

// largest is how big a spec may be, in bytes. Clusters of hundreds of settings take a
// few tens of thousands.
const largest = 4 << 20

// store is where kops keeps its specs.
type store interface {
	// read reads a file, by its path in the store. The error wraps fs.ErrNotExist if
	// there is none, and is in words.
	read(ctx context.Context, name string) ([]byte, error)
	// list tells the names of the files in a directory of the store, none where there is none.
	list(ctx context.Context, dir string) ([]string, error)
	// String is the store as kops writes it.
	String() string
}

// openStore finds out what kind of store a name means; "" is none.
func openStore(aws *asg.Client, name string) (store, error) {
	if name == "" {
		return nil, nil
	}
	scheme, rest, ok := strings.Cut(name, "://")
	if !ok {
		return directory(name), nil
	}
	switch scheme {
	case "file":
		return directory(rest), nil
	case "s3":
		u, err := url.Parse(name)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("the state store %q has no S3 bucket (form: s3://bucket/prefix)", world.Clean(name))
		}
		return newBucket(aws, u.Host, strings.Trim(u.Path, "/")), nil
	}
	return nil, fmt.Errorf("the state store %q is not supported: use s3://bucket/prefix, file:///directory or a directory (--state, KOPS_STATE_STORE)", world.Clean(name))
}

// directory is a store on this machine.
type directory string

func (d directory) String() string { return "file://" + world.Clean(string(d)) }

// read stays in the directory, whatever a name from the cloud says.
func (d directory) read(_ context.Context, name string) ([]byte, error) {
	f, err := os.OpenInRoot(string(d), name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limited(f)
}

// list leaves out directories, and follows no link out of the store.
func (d directory) list(_ context.Context, dir string) ([]string, error) {
	f, err := os.OpenInRoot(string(d), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

var errTooLarge = fmt.Errorf("larger than %d MiB, not a spec", largest>>20)

// limited reads all there is, if it is not too much.
func limited(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, largest+1))
	if err == nil && len(data) > largest {
		err = errTooLarge
	}
	return data, err
}

// clusterFile and groupFile are where a store has the specs
// (pkg/client/simple/vfsclientset).
func clusterFile(cluster string) string { return path.Join(cluster, "config") }

func groupFile(cluster, group string) string { return path.Join(groupFiles(cluster), group) }

// groupFiles is where the specs of the instance groups are.
func groupFiles(cluster string) string { return path.Join(cluster, "instancegroup") }

// missing says by kind what to do where a spec is not there.
var missing = map[string]string{
	"Cluster":       "check --state (KOPS_STATE_STORE) and --cluster-name (KOPS_CLUSTER_NAME)",
	"InstanceGroup": "kops rolls no group without a spec: to roll it by kops's defaults, leave out --state and KOPS_STATE_STORE",
}

// load reads and parses a spec.
func load(ctx context.Context, s store, file, kind, name string) (spec, error) {
	data, where, err := fetch(ctx, s, file, kind, name)
	if err != nil {
		return spec{}, err
	}
	return parse(data, where, kind, name)
}

// fetch reads a spec, and says where it is.
func fetch(ctx context.Context, s store, file, kind, name string) (data []byte, where string, err error) {
	where = s.String() + "/" + world.Clean(file)
	data, err = s.read(ctx, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = &problem{fs.ErrNotExist, fmt.Sprintf("the state store has no %s %s (no %s); %s", kind, world.Clean(name), where, missing[kind])}
	case err != nil:
		err = fmt.Errorf("reading %s: %w", where, err)
	}
	return data, where, err
}
