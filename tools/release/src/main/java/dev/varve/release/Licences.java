package dev.varve.release;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks the licences of the works in a release. */
final class Licences {
    /** Licences, as SPDX names them, under which a work may be part of a release. */
    private static final Set<String> ACCEPTED =
            Set.of(
                    "Apache-2.0",
                    "BSD-2-Clause",
                    "BSD-3-Clause",
                    "EPL-2.0",
                    "GPL-2.0-with-classpath-exception",
                    "MIT",
                    "MIT-0",
                    "MPL-2.0");

    /** Such as {@code lib/jetty-*.jar} in a line of NOTICE. */
    private static final Pattern PATTERN = Pattern.compile("(?:lib|plugins)/\\S+");

    private Licences() {}

    /**
     * Returns a message for each work without an accepted licence, and for each foreign file that
     * no pattern of NOTICE covers.
     *
     * @param notice text of the file NOTICE
     */
    static List<String> problems(List<Component> components, String notice) {
        List<Pattern> patterns =
                PATTERN.matcher(notice)
                        .results()
                        .map(match -> Pattern.compile(regex(match.group())))
                        .toList();
        List<String> problems = new ArrayList<>();
        for (Component each : components) {
            if (each.licences().stream().noneMatch(ACCEPTED::contains)) {
                problems.add(
                        each.purl()
                                + ": expected one of the licences "
                                + ACCEPTED.stream().sorted().toList()
                                + ", found "
                                + each.licences());
            }
            each.jar()
                    .filter(jar -> !each.isOwn())
                    .filter(jar -> patterns.stream().noneMatch(p -> p.matcher(jar.path()).find()))
                    .ifPresent(jar -> problems.add(jar.path() + ": NOTICE does not name it"));
        }
        return problems;
    }

    private static String regex(String glob) {
        return "^" + Pattern.quote(glob.replaceAll(",$", "")).replace("*", "\\E.*\\Q");
    }
}
