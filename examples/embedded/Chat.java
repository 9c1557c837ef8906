import dev.varve.embedded.*;

void main(String[] arguments) {
    // The most likely tokens, so that the response is the same each time.
    var options = VarveOptions.DEFAULT.withSampling(Sampling.DEFAULT.temperature(0));
    try (Varve model = Varve.open(Path.of(arguments[0]), options)) {
        IO.println(model.chat("What is 12 + 30?").text());
    }
}
