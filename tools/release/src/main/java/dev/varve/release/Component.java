package dev.varve.release;

import java.util.List;
import java.util.Optional;

/**
 * A work in a release, with the files that it consists of.
 *
 * @param purl package URL, such as {@code pkg:maven/org.slf4j/slf4j-api@2.0.20}
 * @param licences SPDX identifiers or names; more than one if the user may choose
 * @param files its files in the installation, in the order of their paths
 */
record Component(
        Kind kind,
        String group,
        String name,
        String version,
        String purl,
        List<String> licences,
        List<ShippedFile> files) {
    /** Kinds of works, with their names in CycloneDX. */
    enum Kind {
        LIBRARY("library"),
        PLATFORM("platform");

        private final String label;

        Kind(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    Component {
        licences = List.copyOf(licences);
        files = List.copyOf(files);
    }

    /** Its jar, if it is one. */
    Optional<ShippedFile> jar() {
        return files.stream().filter(file -> file.path().endsWith(".jar")).findFirst();
    }

    Component with(List<ShippedFile> itsFiles) {
        return new Component(kind, group, name, version, purl, licences, itsFiles);
    }

    /** Whether the project itself wrote it. */
    boolean isOwn() {
        return group.equals("dev.varve");
    }
}
