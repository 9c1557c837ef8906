package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import javax.imageio.ImageIO;

/** Images in commands, with a random model that reads them. */
@Timeout(300)
class ImageCommandsIT {
    private static final String QUESTION = "What is it?";

    @TempDir static Path folder;

    private static Varve varve;
    private static Path models;
    private static Path sun;
    private static Path sea;

    @BeforeAll
    static void write() throws Exception {
        models =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("golden/vision/models");
        assumeTrue(Files.isDirectory(models), "no models at varve.test.shared: " + models);
        varve = new Varve(Varve.INSTALLATION, folder);
        sun = image("sun.png", Color.ORANGE);
        sea = image("sea.png", Color.BLUE);
    }

    private static Path image(String name, Color colour) throws IOException {
        BufferedImage image = new BufferedImage(160, 96, BufferedImage.TYPE_INT_RGB);
        Graphics2D drawing = image.createGraphics();
        drawing.setColor(colour);
        drawing.fillOval(0, 0, 120, 96);
        drawing.dispose();
        Path file = folder.resolve(name);
        ImageIO.write(image, "png", file.toFile());
        return file;
    }

    private static Object[] command(String name, Object... more) {
        List<Object> all =
                new ArrayList<>(
                        List.of(
                                name,
                                "--model",
                                models.resolve("text-qwen35.gguf"),
                                "--max-ctx",
                                1024,
                                "--threads",
                                1,
                                "--temp",
                                0,
                                "--max-tokens",
                                16));
        all.addAll(List.of(more));
        return all.toArray();
    }

    /** The model's bytes are no UTF-8, of which only a chat corrects all. */
    private static String letters(String text) {
        return text.replaceAll("[^a-z]", "");
    }

    private static Path projector() {
        return models.resolve("qwen3vl.gguf");
    }

    private static String generated(Path image) throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        command(
                                "generate",
                                "--mmproj",
                                projector(),
                                "--image",
                                image,
                                "--chat",
                                QUESTION));
        assertEquals(0, outcome.status(), outcome.err());
        return letters(outcome.out());
    }

    @Test
    void generateAndChatAnswerAboutAnImage() throws Exception {
        String answer = generated(sun);

        assertNotEquals(answer, generated(sea));
        Varve.Outcome chat =
                varve.runWithInput(
                        "/image " + sun + "\n" + QUESTION + "\n",
                        command("chat", "--mmproj", projector()));
        assertEquals(0, chat.status(), chat.err());
        assertEquals(answer, letters(chat.out()));
    }

    @Test
    void placeholdersStandForTheTokensOfAnImage() throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        command(
                                "generate",
                                "--mmproj",
                                projector(),
                                "--image",
                                sun,
                                "--json",
                                "--chat",
                                QUESTION));

        assertEquals(0, outcome.status(), outcome.err());
        String list =
                outcome.out().replaceAll("(?s).*\"prompt_tokens\"\\s*:\\s*\\[([^]]*)].*", "$1");
        List<Integer> tokens =
                Arrays.stream(list.split(",")).map(String::strip).map(Integer::valueOf).toList();
        assertTrue(tokens.size() > 15, outcome.out());
        assertTrue(tokens.stream().allMatch(token -> token >= 0), outcome.out());
    }

    @Test
    void missingProjectorAndMessageAreNamed() throws Exception {
        Varve.Outcome chat = varve.runWithInput("/image " + sun + "\n", command("chat"));
        Varve.Outcome blind = varve.run(command("generate", "--image", sun, "--chat", QUESTION));
        Varve.Outcome silent = varve.run(command("generate", "--image", sun, "--prompt", "x"));

        assertTrue(
                chat.err().contains("reads no images: it was started without --mmproj"),
                chat.err());
        assertTrue(blind.err().contains("--image: expected --mmproj"), blind.err());
        assertEquals(2, silent.status(), silent.err());
        assertTrue(silent.err().contains("--image: expected --chat"), silent.err());
    }
}
