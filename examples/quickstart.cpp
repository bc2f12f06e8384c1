#include <cmath>
#include <cstdio>

#include "mbll/data/synthetic.hpp"
#include "mbll/model/fit.hpp"

int main() {
  const mbll::SyntheticSet set = mbll::interpolation_heteroscedastic();  // X is 1×500, Y is 1×500
  mbll::FitData data;
  data.X = set.X;
  data.Y = set.Y;
  const mbll::Model model = mbll::fit(data);
  const auto prediction = model.predict(mbll::Matrix{{0.0, 1.5, 6.0}});  // a gap, the data, far outside
  for (mbll::Index i = 0; i < 3; ++i)
    std::printf("%6.2f  noise %.2f  model %.2f\n", prediction->mean()(0, i),
                std::sqrt(prediction->aleatoric_variance()(0, i)),
                std::sqrt(prediction->epistemic_variance()(0, i)));
}
