package dev.varve.release;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class AdvisoriesTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "1.2 | [{'introduced': '0'}] | true",
                "1.2 | [{'introduced': '1.2'}, {'fixed': '1.3'}] | true",
                "1.3 | [{'introduced': '1.2'}, {'fixed': '1.3'}] | false",
                "1.10 | [{'introduced': '1.2'}, {'last_affected': '1.9'}] | false",
                "1.9 | [{'introduced': '1.2'}, {'last_affected': '1.9'}] | true",
                "2.5 | [{'introduced': '1'}, {'fixed': '2'}, {'introduced': '2.4'}] | true",
                "2.1 | [{'introduced': '1'}, {'fixed': '2'}, {'introduced': '2.4'}] | false",
                "1.3-rc1 | [{'introduced': '0'}, {'fixed': '1.3'}] | true",
                "0.9 | [{'introduced': '1.0'}] | false",
            })
    void versionsAreInRanges(String version, String events, boolean isAffected) throws Exception {
        write("", "'ranges': [{'type': 'SEMVER', 'events': " + events + "}]");

        assertEquals(isAffected, isAffected(version));
    }

    @ParameterizedTest
    @CsvSource({"1.2, true", "1.3, false"})
    void versionsMayBeListed(String version, boolean isAffected) throws Exception {
        write("", "'versions': ['1.1', '1.2']");

        assertEquals(isAffected, isAffected(version));
    }

    @ParameterizedTest
    @CsvSource("1.2")
    void withdrawnAdvisoryAffectsNothing(String version) throws Exception {
        write("'withdrawn': '2026-01-01T00:00:00Z',", "'versions': ['1.2']");

        assertEquals(false, isAffected(version));
    }

    private void write(String more, String versions) throws Exception {
        Files.writeString(
                folder.resolve("CVE-1.json"),
                ("{'id': 'CVE-1', "
                                + more
                                + " 'affected': [{'package': {'ecosystem': 'npm',"
                                + " 'name': '@some/name'}, "
                                + versions
                                + "}]}")
                        .replace('\'', '"'));
    }

    private boolean isAffected(String version) throws Exception {
        Component component =
                new Component(
                        Component.Kind.LIBRARY,
                        "@some",
                        "name",
                        version,
                        "pkg:npm/%40some/name@" + version,
                        List.of(),
                        List.of());
        return !Advisories.read(folder).affecting(List.of(component)).isEmpty();
    }
}
