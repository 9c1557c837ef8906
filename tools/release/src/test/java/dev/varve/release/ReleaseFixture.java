package dev.varve.release;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** A small installation and its sources in a folder. */
record ReleaseFixture(Path folder) {
    static final String FOREIGN = "lib/some-1.2.jar";

    /** Creates one with a foreign jar, a plugin with native libraries, and a page. */
    static ReleaseFixture create(Path folder) throws IOException {
        ReleaseFixture fixture = new ReleaseFixture(folder);
        fixture.jar(FOREIGN, "a.class", "lib/other.so");
        fixture.jar(
                "plugins/varve-plugin-cpu-0.1.0.jar",
                "natives/linux-x64-cpu/libggml.so",
                "natives/linux-x64-kernels/libvarve-kernels.so");
        fixture.jar("lib/varve-page-0.1.0.jar", "dev/varve/page/lib/marked.js", "page/own.js");
        fixture.text("installation/NOTICE", "Some 1.2   lib/some-*.jar   MIT License\n");
        fixture.lock("natives/cpu", "@node-llama-cpp/linux-x64", "MIT");
        fixture.lock("natives/vulkan", "@node-llama-cpp/linux-x64-vulkan", "MIT");
        fixture.lock("natives/cuda", "@node-llama-cpp/linux-x64-cuda", "MIT");
        fixture.lock("platform/server/page", "marked", "(MIT OR X)");
        fixture.text("sources/tools/release/licences", "org.some=MIT\n");
        fixture.resolved("BSD-4-Clause");
        return fixture;
    }

    Path installation() {
        return folder.resolve("installation");
    }

    Path sources() {
        return folder.resolve("sources");
    }

    Path resolved() {
        return folder.resolve("resolved.json");
    }

    /** Writes Maven's list of one artifact, the foreign jar. */
    void resolved(String licence) throws IOException {
        String digest =
                ShippedFile.of(installation()).stream()
                        .filter(file -> file.path().equals(FOREIGN))
                        .findFirst()
                        .orElseThrow()
                        .sha256();
        text(
                "resolved.json",
                """
                {"components": [{"group": "org.some", "name": "some", "version": "1.2",
                  "licenses": [{"license": {"id": "%LICENCE"}}],
                  "hashes": [{"alg": "MD5", "content": "1"},
                             {"alg": "SHA-256", "content": "%DIGEST"}]}]}
                """
                        .replace("%LICENCE", licence)
                        .replace("%DIGEST", digest));
    }

    /** Writes a jar with entries that contain their names. */
    void jar(String path, String... entries) throws IOException {
        Path jar = installation().resolve(path);
        Files.createDirectories(jar.getParent());
        try (OutputStream bytes = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (String entry : List.of(entries)) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write(entry.getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
    }

    private void lock(String path, String name, String licence) throws IOException {
        text(
                "sources/" + path + "/package-lock.json",
                """
                {"packages": {"": {"version": "0.1.0"},
                  "node_modules/%NAME": {"version": "3.1.0", "license": "%LICENCE"},
                  "node_modules/for-tests": {"version": "1.0.0", "dev": true}}}
                """
                        .replace("%NAME", name)
                        .replace("%LICENCE", licence));
    }

    void text(String path, String text) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
