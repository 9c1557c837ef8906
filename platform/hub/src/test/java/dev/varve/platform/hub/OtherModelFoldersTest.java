package dev.varve.platform.hub;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Map;
import java.util.Set;

class OtherModelFoldersTest {
    private static final String DIGEST = "0123456789abcdef".repeat(4);

    @TempDir Path home;

    private static Path write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void manifest(Path folder, String name, String digest) throws IOException {
        write(
                folder.resolve("manifests").resolve(name),
                """
                {"layers": [
                  {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:%s"},
                  {"mediaType": "application/vnd.ollama.image.model", "digest": "%s"}]}\
                """
                        .replaceFirst("%s", "f".repeat(64))
                        .replaceFirst("%s", digest));
    }

    @Test
    void modelsOfOllamaHaveItsNames() throws IOException {
        Path folder = home.resolve("ollama");
        Path blob = write(folder.resolve("blobs/sha256-" + DIGEST), "GGUF");
        manifest(folder, "registry.ollama.ai/library/qwen3/0.6b", "sha256:" + DIGEST);
        manifest(folder, "registry.ollama.ai/me/mine/latest", "sha256:" + DIGEST);
        manifest(folder, "hf.co/Qwen/Qwen3-0.6B-GGUF/Q8_0", "sha256:" + DIGEST);
        manifest(folder, "registry.ollama.ai/library/absent/latest", "sha256:" + "a".repeat(64));
        manifest(folder, "registry.ollama.ai/library/hostile/latest", "sha256:../../../x");
        write(folder.resolve("manifests/registry.ollama.ai/library/broken/latest"), "{");

        Map<Path, List<OtherModelFolders.Found>> found =
                new OtherModelFolders(
                                Map.of("HOME", home.toString(), "OLLAMA_MODELS", folder.toString()))
                        .models();

        assertEquals(
                List.of(
                        new OtherModelFolders.Found("hf.co/Qwen/Qwen3-0.6B-GGUF:Q8_0", blob),
                        new OtherModelFolders.Found("qwen3:0.6b", blob),
                        new OtherModelFolders.Found("me/mine:latest", blob)),
                found.get(folder));
    }

    @Test
    void modelsOfLmStudioAreFilesOfRepositories() throws IOException {
        Path folder = home.resolve(".lmstudio/models");
        Path one = write(folder.resolve("o/r/a.gguf"), "GGUF");
        Path split = write(folder.resolve("o/r/b-00001-of-00002.gguf"), "GGUF");
        write(folder.resolve("o/r/b-00002-of-00002.gguf"), "GGUF");
        write(folder.resolve("o/r/config.json"), "{}");

        Map<Path, List<OtherModelFolders.Found>> found =
                new OtherModelFolders(Map.of("HOME", home.toString())).models();

        assertEquals(
                List.of(
                        new OtherModelFolders.Found("o/r/a.gguf", one),
                        new OtherModelFolders.Found("o/r/b-00001-of-00002.gguf", split)),
                found.get(folder));
    }

    @Test
    void aSubfolderThatCannotBeReadIsLeftOut() throws IOException {
        Path folder = home.resolve(".lmstudio/models");
        Path one = write(folder.resolve("o/r/a.gguf"), "GGUF");
        Path closed = Files.createDirectories(folder.resolve("closed"));
        Set<PosixFilePermission> before = Files.getPosixFilePermissions(closed);
        Files.setPosixFilePermissions(closed, Set.of());
        try {
            assertEquals(
                    List.of(new OtherModelFolders.Found("o/r/a.gguf", one)),
                    new OtherModelFolders(Map.of("HOME", home.toString())).models().get(folder));
        } finally {
            Files.setPosixFilePermissions(closed, before);
        }
    }
}
