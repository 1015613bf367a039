// Deploy-check reads deployment files as those will who run them: docker-compose.yml by compose's own loader, manifests by
// Kubernetes' own decoder in its strict form (a field that is unknown, or given twice, is an error).
//
//	deploy-check compose FILE      prints the project as JSON, variables taken from the environment
//	deploy-check kubernetes FILE   prints each object as JSON, one to a line
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

func main() {
	checks := map[string]func(string) error{"compose": compose, "kubernetes": kubernetes}
	if len(os.Args) != 3 || checks[os.Args[1]] == nil {
		fail(errors.New("usage: deploy-check compose|kubernetes FILE"))
	}
	if err := checks[os.Args[1]](os.Args[2]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func compose(file string) error {
	options, err := cli.NewProjectOptions(
		[]string{file},
		cli.WithOsEnv,
		cli.WithInterpolation(true),
		cli.WithResolvedPaths(true),
		cli.WithNormalization(true),
		cli.WithConsistency(true),
		// Every profile's services too: a mistake in one of them should not wait for the day it is used.
		cli.WithProfiles([]string{"*"}),
	)
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(project)
}

func kubernetes(file string) error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	decoder := serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	documents := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(text)))
	defer documents.Close()
	encoder := json.NewEncoder(os.Stdout)
	buffer := make([]byte, len(text)+1)
	for {
		length, err := documents.Read(buffer)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		object, _, err := decoder.Decode(buffer[:length], nil, nil)
		if err != nil {
			return err
		}
		if err := encoder.Encode(object); err != nil {
			return err
		}
	}
}
