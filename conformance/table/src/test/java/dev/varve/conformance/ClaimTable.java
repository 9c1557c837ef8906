package dev.varve.conformance;

import dev.varve.testkit.Claim;
import dev.varve.testkit.ClaimResult;
import dev.varve.testkit.ClaimResult.Outcome;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Results of tests as tables in Markdown. */
record ClaimTable(List<ClaimResult> results) {
    /** A cell without results. */
    static final String NONE = "–";

    /** Heads of the columns behind the first one, for these claims. */
    private static List<String> columns(Predicate<Claim> claims) {
        return Arrays.stream(Claim.values()).filter(claims).map(Claim::column).toList();
    }

    /** A row for each architecture, with all claims. */
    String byArchitecture(Collection<String> architectures) {
        return table(
                List.of("`general.architecture`"),
                claim -> true,
                architectures,
                architecture -> List.of("`" + architecture + "`"),
                ClaimResult::architecture);
    }

    /** A row for each chat template, with the claims about chats. */
    String byTemplate(Collection<String> templates) {
        return table(
                List.of("template", "`general.architecture`"),
                Claim::isAboutChats,
                templates,
                template -> List.of("`" + template + "`", architectures(template)),
                ClaimResult::model);
    }

    private String architectures(String template) {
        return results.stream()
                .filter(result -> result.model().equals(template))
                .map(ClaimResult::architecture)
                .distinct()
                .sorted()
                .map(name -> "`" + name + "`")
                .collect(Collectors.joining(", "));
    }

    private String table(
            List<String> heads,
            Predicate<Claim> claims,
            Collection<String> rows,
            Function<String, List<String>> begin,
            Function<ClaimResult, String> key) {
        StringBuilder text = new StringBuilder();
        List<String> columns = Stream.concat(heads.stream(), columns(claims).stream()).toList();
        text.append(line(columns));
        text.append("|---".repeat(columns.size())).append("|\n");
        for (String row : rows) {
            List<ClaimResult> own =
                    results.stream().filter(result -> key.apply(result).equals(row)).toList();
            Stream<String> cells =
                    Arrays.stream(Claim.values()).filter(claims).map(claim -> cell(claim, own));
            text.append(line(Stream.concat(begin.apply(row).stream(), cells).toList()));
        }
        return text.toString();
    }

    private static String line(List<String> cells) {
        return cells.stream().collect(Collectors.joining(" | ", "| ", " |\n"));
    }

    /** The worst outcome. */
    private static String cell(Claim claim, List<ClaimResult> results) {
        return results.stream()
                .filter(result -> result.claim() == claim)
                .map(ClaimResult::outcome)
                .max(Outcome::compareTo)
                .map(outcome -> word(claim, outcome))
                .orElse(NONE);
    }

    private static String word(Claim claim, Outcome outcome) {
        return switch (outcome) {
            case PASSED -> claim.word();
            case REFUSED -> "refused";
            case SKIPPED -> "not run";
            case FAILED -> "fails";
        };
    }

    /** Number of different models for which a claim was tested. */
    long models(Claim claim) {
        return results.stream()
                .filter(result -> result.claim() == claim)
                .map(result -> result.architecture() + " " + result.model())
                .distinct()
                .count();
    }
}
