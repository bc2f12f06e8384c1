/** The parts of Chart.js that the figures need. */
import {
  BarController, BarElement, Chart, LinearScale, LineController, LineElement, LogarithmicScale, PointElement, ScatterController, Tooltip,
} from "chart.js";

Chart.register(BarController, BarElement, LinearScale, LineController, LineElement, LogarithmicScale, PointElement, ScatterController, Tooltip);

export { Chart };
