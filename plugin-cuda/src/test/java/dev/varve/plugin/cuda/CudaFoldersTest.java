package dev.varve.plugin.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class CudaFoldersTest {
    @TempDir Path root;

    private Path make(String folder) throws IOException {
        return Files.createDirectories(root.resolve(folder));
    }

    private List<Path> find(Map<String, String> variables) {
        return new CudaFolders(root, name -> Optional.ofNullable(variables.get(name))).find();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "usr/lib/python3/dist-packages/nvidia/cu13/lib",
                "usr/local/lib/python3.12/site-packages/nvidia/cublas/lib",
                "usr/local/lib/python3.12/dist-packages/nvidia/cu13/lib",
                "usr/lib64/python3.11/site-packages/nvidia/cuda_runtime/lib",
                "opt/conda/lib/python3.13/site-packages/nvidia/cu13/lib",
                "opt/tools/venv/lib/python3.13/site-packages/nvidia/cu13/lib",
                "usr/local/cuda-13.0/lib64",
                "usr/local/cuda/targets/x86_64-linux/lib"
            })
    void defaultFoldersAreFoundWithoutVariables(String folder) throws IOException {
        Path made = make(folder);

        assertEquals(List.of(made), find(Map.of()));
    }

    @Test
    void environmentsAreFoundByTheirVariablesInOrder() throws IOException {
        Path toolkit = make("sdk/lib64");
        Path active = make("srv/venv/lib/python3.12/site-packages/nvidia/cu13/lib");
        Path onPath = make("own/python/lib/python3.14/site-packages/nvidia/cu13/lib");
        Files.createFile(make("own/python/bin").resolve("python3"));
        Path personal = make("home/user/.local/lib/python3.12/site-packages/nvidia/cu13/lib");

        List<Path> found =
                find(
                        Map.of(
                                "CUDA_HOME", "/sdk",
                                "VIRTUAL_ENV", "/srv/venv",
                                "PATH", "/none:relative::/own/python/bin",
                                "HOME", "/home/user"));

        assertEquals(List.of(toolkit, active, onPath, personal), found);
    }

    @Test
    void otherFoldersAndFilesAreIgnored() throws IOException {
        make("usr/lib/python3/dist-packages/numpy/lib");
        Files.createFile(make("usr/lib/python3/dist-packages/nvidia/cu13").resolve("lib"));

        assertEquals(List.of(), find(Map.of("VIRTUAL_ENV", "relative", "CUDA_PATH", "/missing")));
    }
}
