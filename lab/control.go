package lab

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/drainboard/drainboard/lab/gardener"
)

// controlFile, in the lab's directory, says where its control port is.
const controlFile = "control.json"

// Control is the way to a running lab of another process, to switch its faults and to
// change its Shoots and update its managed node groups.
type Control struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// ServeControl opens the control port, on the loopback interface, until Stop.
// Dial finds it by the lab's directory.
func (l *Lab) ServeControl() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	c := Control{URL: "http://" + listener.Addr().String(), Token: randomToken()}
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.path(controlFile), data, 0o600); err != nil {
		return err
	}
	server := &http.Server{Handler: l.control(c.Token)}
	l.controlPort = server
	go func() { _ = server.Serve(listener) }()
	return nil
}

// control answers GET with the faults that are on, POST /NAME by switching one
// on, DELETE /NAME or / by switching them off, PATCH /NAME by changing a Shoot, PUT /NAME
// by starting EKS's update of a managed node group.
func (l *Lab) control(token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			http.Error(w, "not the token of this lab", http.StatusUnauthorized)
			return
		}
		var err error
		name := strings.TrimPrefix(r.URL.Path, "/")
		switch r.Method {
		case http.MethodGet:
		case http.MethodDelete:
			err = l.SwitchOff(r.Context(), name)
		case http.MethodPost:
			var given map[string]string
			if err = json.NewDecoder(r.Body).Decode(&given); err == nil {
				err = l.SwitchOn(r.Context(), name, given)
			}
		case http.MethodPatch:
			var change gardener.Change
			var s *gardener.Shoot
			if err = json.NewDecoder(r.Body).Decode(&change); err == nil {
				s, err = l.ShootNamed(name)
			}
			if err == nil {
				err = s.Change(r.Context(), change)
			}
		case http.MethodPut:
			var force bool
			if err = json.NewDecoder(r.Body).Decode(&force); err == nil {
				err = l.UpdateNodegroup(r.Context(), name, force)
			}
		default:
			err = errors.New(r.Method + " is not known here")
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(l.On())
	})
}

// Dial finds the control port of the lab that runs in a directory. Without one,
// of the only lab with a temporary directory of its own.
func Dial(dir string) (*Control, error) {
	if dir != "" {
		c, err := readControl(dir)
		if err != nil {
			return nil, fmt.Errorf("no lab runs in %s: %w", dir, err)
		}
		return c, nil
	}
	var found *Control
	files, _ := filepath.Glob(filepath.Join(os.TempDir(), TemporaryDir, controlFile))
	for _, file := range files {
		c, err := readControl(filepath.Dir(file))
		if err != nil {
			continue // left by one that was killed
		}
		if found != nil {
			return nil, errors.New("several labs run: say which by its directory")
		}
		found = c
	}
	if found == nil {
		return nil, errors.New("no lab runs, or it has a directory of its own: say which")
	}
	return found, nil
}

// readControl reads where a lab's control port is, and sees that it answers.
func readControl(dir string) (*Control, error) {
	data, err := os.ReadFile(filepath.Join(dir, controlFile))
	if err != nil {
		return nil, err
	}
	c := &Control{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err = c.On(ctx)
	return c, err
}

// On lists the faults that are switched on.
func (c *Control) On(ctx context.Context) ([]FaultOn, error) {
	return c.do(ctx, http.MethodGet, "", nil)
}

// SwitchOn is Lab.SwitchOn.
func (c *Control) SwitchOn(ctx context.Context, name string, given map[string]string) error {
	_, err := c.do(ctx, http.MethodPost, name, given)
	return err
}

// SwitchOff is Lab.SwitchOff.
func (c *Control) SwitchOff(ctx context.Context, name string) error {
	_, err := c.do(ctx, http.MethodDelete, name, nil)
	return err
}

// ChangeShoot is Shoot.Change, of the Shoot of a name; an empty name means the only one.
func (c *Control) ChangeShoot(ctx context.Context, name string, change gardener.Change) error {
	_, err := c.do(ctx, http.MethodPatch, name, change)
	return err
}

// UpdateNodegroup is Lab.UpdateNodegroup.
func (c *Control) UpdateNodegroup(ctx context.Context, name string, force bool) error {
	_, err := c.do(ctx, http.MethodPut, name, force)
	return err
}

func (c *Control) do(ctx context.Context, method, name string, given any) ([]FaultOn, error) {
	body, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+"/"+name, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.New(strings.TrimSpace(string(answer)))
	}
	var on []FaultOn
	return on, json.Unmarshal(answer, &on)
}
