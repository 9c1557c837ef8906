package dev.varve.platform.cli;

import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.platform.setting.Release;

import picocli.CommandLine.IVersionProvider;

/** Versions of Varve, of ggml and of the Java runtime. */
final class VersionText implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "varve "
                    + Release.version()
                    + " (ggml "
                    + GgmlLibrary.EXPECTED_VERSION
                    + ", Java "
                    + Runtime.version()
                    + ")"
        };
    }
}
