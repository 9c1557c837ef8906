package dev.varve.platform.hub;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;

class RepositoryFilesTest {
    private static final List<String> REPOSITORY =
            List.of(
                    "README.md",
                    "config.json",
                    "BF16/m-BF16-00001-of-00002.gguf",
                    "BF16/m-BF16-00002-of-00002.gguf",
                    "imatrix.gguf",
                    "m-IQ4_XS.gguf",
                    "m-Q4_K_M.gguf",
                    "m-Q8_0.gguf",
                    "m-UD-Q4_K_XL.gguf",
                    "m-dflash-F16.gguf",
                    "m-dflash-Q8_0.gguf",
                    "mmproj-m-F16.gguf",
                    "mmproj-m-Q8_0.gguf",
                    "odd.gguf");

    private static final RepositoryFiles FILES = new RepositoryFiles(REPOSITORY);

    private static List<String> model(String... quant) {
        return FILES.model(new HubReference("o", "m-GGUF", List.of(quant).stream().findFirst()));
    }

    @ParameterizedTest
    @CsvSource({
        "Q8_0, m-Q8_0.gguf",
        "q8_0, m-Q8_0.gguf",
        "iq4_xs, m-IQ4_XS.gguf",
        "UD-Q4_K_XL, m-UD-Q4_K_XL.gguf",
        "Q4_K_XL, m-UD-Q4_K_XL.gguf",
        "odd, odd.gguf",
        "m-Q8_0, m-Q8_0.gguf",
    })
    void aQuantisationSelectsItsFile(String quant, String file) {
        assertEquals(List.of(file), model(quant));
    }

    @Test
    void aSplitModelHasAllItsParts() {
        assertEquals(
                List.of("BF16/m-BF16-00001-of-00002.gguf", "BF16/m-BF16-00002-of-00002.gguf"),
                model("BF16"));
    }

    @Test
    void withoutAQuantisationThePreferredIsSelected() {
        assertEquals(List.of("m-Q4_K_M.gguf"), model());
        assertEquals(
                Optional.of(List.of("x-Q8_0.gguf")),
                new RepositoryFiles(List.of("x-F16.gguf", "x-Q8_0.gguf")).find(Optional.empty()));
        assertEquals(
                Optional.of(List.of("x-F16.gguf")),
                new RepositoryFiles(List.of("x-F16.gguf", "x-Q6_K.gguf")).find(Optional.empty()));
    }

    @Test
    void anUnknownQuantisationIsRefusedWithTheKnownOnes() {
        VarveException refused = assertThrows(VarveException.class, () -> model("Q5_K_M"));

        assertEquals(
                "o/m-GGUF has no Q5_K_M; it has BF16, IQ4_XS, Q4_K_M, Q8_0, UD-Q4_K_XL, odd",
                refused.getMessage());
    }

    @Test
    void theWholeNameOfAQuantisationPrecedesItsAlias() {
        List<String> names = List.of("a-UD-Q4_K_M.gguf", "b-Q4_K_M.gguf");

        assertEquals(
                Optional.of(List.of("b-Q4_K_M.gguf")),
                new RepositoryFiles(names).find(Optional.of("Q4_K_M")));
        assertEquals(
                Optional.empty(),
                new RepositoryFiles(names.subList(0, 1)).findExact(Optional.of("Q4_K_M")));
    }

    @Test
    void aNameOfNoPartsIsThatOfAFile() {
        assertEquals(
                List.of("m-00001-of-00000.gguf"),
                RepositoryFiles.partNames("m-00001-of-00000.gguf"));
    }

    @Test
    void aMissingPartIsRefused() {
        RepositoryFiles files = new RepositoryFiles(List.of("m-Q8_0-00001-of-00002.gguf"));

        VarveException refused =
                assertThrows(
                        VarveException.class,
                        () -> files.model(new HubReference("o", "m", Optional.of("Q8_0"))));

        assertEquals(
                "o/m:Q8_0: the repository lacks a part of this model; it has Q8_0",
                refused.getMessage());
    }

    @Test
    void aRepositoryWithoutModelFilesSaysWhereToLook() {
        RepositoryFiles files = new RepositoryFiles(List.of("model.safetensors"));

        VarveException refused =
                assertThrows(
                        VarveException.class,
                        () -> files.model(new HubReference("o", "m", Optional.empty())));

        assertEquals(
                "o/m has no GGUF files; look for a repository whose name ends in -GGUF",
                refused.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "m-Q8_0.gguf, m-dflash-Q8_0.gguf, mmproj-m-Q8_0.gguf",
        "m-Q4_K_M.gguf, m-dflash-Q8_0.gguf, mmproj-m-Q8_0.gguf",
        "m-F16.gguf, m-dflash-F16.gguf, mmproj-m-F16.gguf",
    })
    void draftAndProjectorHaveTheQuantisationOfTheModelOrQ8(
            String model, String draft, String projector) {
        assertEquals(Optional.of(draft), FILES.draft(model));
        assertEquals(Optional.of(projector), FILES.projector(model));
    }

    @ParameterizedTest
    @CsvSource({
        "varve-demo-qwen35-draft.gguf",
        "mtp-m-Q8_0.gguf",
        "gemma-4-E4B-it-assistant-Q8_0.gguf",
        "m-DSpark.gguf",
        "eagle3-m.gguf",
    })
    void draftsAreNoModels(String name) {
        assertEquals(Optional.empty(), new RepositoryFiles(List.of(name)).find(Optional.empty()));
    }

    @ParameterizedTest
    @CsvSource({"m-MTP-Q8_0.gguf", "drafting-guide-Q8_0.gguf", "assistant3000-Q8_0.gguf"})
    void modelsWithSimilarNamesAreModels(String name) {
        assertEquals(
                Optional.of(List.of(name)),
                new RepositoryFiles(List.of(name)).find(Optional.empty()));
    }
}
