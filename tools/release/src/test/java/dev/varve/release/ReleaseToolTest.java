package dev.varve.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class ReleaseToolTest {
    @TempDir Path folder;

    private final StringWriter output = new StringWriter();
    private ReleaseFixture fixture;

    @BeforeEach
    void createFixture() throws IOException {
        fixture = ReleaseFixture.create(folder);
    }

    private int sbom() {
        return ReleaseTool.run(
                new PrintWriter(output, true),
                "sbom",
                "--version=0.1.0",
                "--sources=" + fixture.sources(),
                "--resolved=" + fixture.resolved(),
                "--installation=" + fixture.installation(),
                "--output=" + bill());
    }

    private Path bill() {
        return folder.resolve("bill.json");
    }

    private int vulnerabilities(Path advisories) {
        return ReleaseTool.run(
                new PrintWriter(output, true),
                "vulnerabilities",
                "--sbom=" + bill(),
                "--advisories=" + advisories);
    }

    @Test
    void everyFileIsFromAWork() throws Exception {
        assertEquals(0, sbom(), output.toString());

        List<Component> components = BillOfMaterials.read(Files.readString(bill()));
        assertEquals(
                List.of(
                        "pkg:maven/dev.varve/varve-page@0.1.0",
                        "pkg:maven/dev.varve/varve-plugin-cpu@0.1.0",
                        "pkg:maven/org.some/some@1.2",
                        "pkg:npm/%40node-llama-cpp/linux-x64@3.1.0",
                        "pkg:npm/marked@3.1.0"),
                components.stream().map(Component::purl).toList());
        assertEquals(List.of("MIT"), components.get(2).licences());
        assertEquals(List.of("MIT", "X"), components.get(4).licences());
    }

    @Test
    void filesOfAWorkAreListedWithTheirDigests() throws Exception {
        assertEquals(0, sbom(), output.toString());

        String text = Files.readString(bill());
        String jar = "plugins/varve-plugin-cpu-0.1.0.jar";
        for (ShippedFile file : ShippedFile.of(fixture.installation())) {
            boolean isInForeignJar = file.jar().equals(ReleaseFixture.FOREIGN);
            assertEquals(
                    !isInForeignJar, text.contains(file.path() + " sha256:" + file.sha256()), jar);
        }
    }

    @Test
    void equalInstallationsHaveEqualBills() throws Exception {
        assertEquals(0, sbom(), output.toString());
        String first = Files.readString(bill());
        assertEquals(0, sbom(), output.toString());

        assertEquals(first, Files.readString(bill()));
    }

    @Test
    void javaOfAnInstallationIsAWork() throws Exception {
        fixture.text("installation/jre/release", "JAVA_RUNTIME_VERSION=\"25.0.1+8-LTS\"\n");
        fixture.jar("jre/lib/jrt-fs.jar", "a.class");
        fixture.text("installation/jre/lib/libjava.so", "");
        assertEquals(0, sbom(), output.toString());

        assertTrue(Files.readString(bill()).contains("pkg:generic/openjdk@25.0.1%2B8-LTS"));
    }

    @Test
    void fileOfNoKnownWorkFails() throws Exception {
        fixture.jar("lib/stray-1.0.jar", "a.class");
        fixture.jar("plugins/varve-plugin-x-0.1.0.jar", "natives/linux-x64-x/libx.so");

        assertEquals(1, sbom());
        assertTrue(output.toString().contains("lib/stray-1.0.jar: is from no known work"));
        assertTrue(
                output.toString()
                        .contains(
                                "plugins/varve-plugin-x-0.1.0.jar!/natives/linux-x64-x/libx.so: is"
                                        + " from no known work"));
        assertFalse(Files.exists(bill()));
    }

    @Test
    void licenceThatIsNotAcceptedFails() throws Exception {
        fixture.text("sources/tools/release/licences", "");

        assertEquals(1, sbom());
        assertTrue(
                output.toString()
                        .contains("pkg:maven/org.some/some@1.2: expected one of the licences ["),
                output.toString());
        assertTrue(output.toString().contains("found [BSD-4-Clause]"));
    }

    @Test
    void jarThatNoticeDoesNotNameFails() throws Exception {
        fixture.text("installation/NOTICE", "Other   lib/other-*.jar   MIT License\n");

        assertEquals(1, sbom());
        assertTrue(output.toString().contains("lib/some-1.2.jar: NOTICE does not name it"));
    }

    @Test
    void advisoryThatAffectsAWorkFails() throws Exception {
        assertEquals(0, sbom(), output.toString());
        fixture.text(
                "advisories/a/GHSA-1.json",
                """
                {"id": "GHSA-1", "summary": "Reads too much", "affected": [{
                  "package": {"ecosystem": "Maven", "name": "org.some:some"},
                  "ranges": [{"type": "ECOSYSTEM",
                    "events": [{"introduced": "1.0"}, {"fixed": "1.10"}]}]}]}
                """);

        assertEquals(1, vulnerabilities(folder.resolve("advisories")));
        assertTrue(
                output.toString().contains("pkg:maven/org.some/some@1.2: GHSA-1 Reads too much"));
    }

    @Test
    void emptyFolderOfAdvisoriesIsNotSuccess() throws Exception {
        assertEquals(0, sbom(), output.toString());
        Path empty = Files.createDirectory(folder.resolve("empty"));

        assertEquals(2, vulnerabilities(empty));
        assertEquals(2, vulnerabilities(folder.resolve("missing")));
        assertTrue(output.toString().contains("--advisories: no file *.json in " + empty));
    }
}
