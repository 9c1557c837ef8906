package dev.varve.platform.cli;

import dev.varve.api.ggml.GgmlLibrary;

import picocli.CommandLine.IVersionProvider;

import java.lang.module.ModuleDescriptor;
import java.util.Optional;

/** Versions of Varve, of ggml and of the Java runtime. */
final class VersionText implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "varve "
                    + version()
                    + " (ggml "
                    + GgmlLibrary.EXPECTED_VERSION
                    + ", Java "
                    + Runtime.version()
                    + ")"
        };
    }

    /** Version of Varve, as its module says. */
    static String version() {
        return Optional.ofNullable(VersionText.class.getModule().getDescriptor())
                .flatMap(ModuleDescriptor::version)
                .map(ModuleDescriptor.Version::toString)
                .orElse("development");
    }
}
