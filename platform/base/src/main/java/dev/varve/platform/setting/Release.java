package dev.varve.platform.setting;

import java.lang.module.ModuleDescriptor;
import java.util.Optional;

/** The release of this program. */
public final class Release {
    private Release() {}

    /** Version of Varve, as its module declares it. */
    public static String version() {
        return Optional.ofNullable(Release.class.getModule().getDescriptor())
                .flatMap(ModuleDescriptor::version)
                .map(ModuleDescriptor.Version::toString)
                .orElse("development");
    }
}
